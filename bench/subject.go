package main

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// subject is a chunk of pure Lua that does what its name says 10^3 to 10^5 times and returns a
// number or a string, the same on every player. A chunk uses only what unmodified gopher-lua does
// correctly: no a,b=b,a on locals, no number that it would print differently.
type subject struct {
	name, source string
}

//go:embed micro/*.lua
var microFiles embed.FS

// subjects reads the files of chunks. Each chunk follows a line "--- its name".
func subjects(names ...string) ([]subject, error) {
	var list []subject
	for _, name := range names {
		text, err := fs.ReadFile(microFiles, "micro/"+name+".lua")
		if err != nil {
			return nil, err
		}
		for _, part := range strings.Split("\n"+string(text), "\n--- ")[1:] {
			title, source, ok := strings.Cut(part, "\n")
			if !ok {
				return nil, fmt.Errorf("%s.lua: no chunk under %q", name, part)
			}
			list = append(list, subject{title, source})
		}
	}
	return list, nil
}
