package main

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/scriptfiles"
)

type scriptsCommand struct {
	Paths []string `arg:"" name:"path" help:"Programs, folders with programs, or one script: FILE#NAME."`

	JSON bool `name:"json" help:"Print names, places, holes and texts as JSON."`
}

// Help is the long text of "redmoon scripts --help".
func (scriptsCommand) Help() string {
	return `It finds the Redis Lua scripts in strings of programs: Go, JavaScript, TypeScript, Python, Ruby, PHP,
Java, Kotlin, C# and Rust. A string is a script by its use, such as redis.NewScript(…) or <<~LUA, or by a
comment redmoon:lua before it; docs/embedded.md has the rules.

  redmoon scripts src
  redmoon scripts lib/limiter.rb#acquire > acquire.lua

The list has the SHA1 of each script, or a dash if the program inserts something into it. With the name of a
script its text is printed. The exit code is 0, or 2 if a file cannot be read or nothing was found.`
}

func (c *scriptsCommand) Run(std *streams) error {
	failed, err := scriptfiles.Run(c.Paths, scriptfiles.Options{JSON: c.JSON, Stdout: std.out, Problems: std.err})
	if err != nil {
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
		return exitError(2)
	}
	if failed > 0 {
		return exitError(2)
	}
	return nil
}
