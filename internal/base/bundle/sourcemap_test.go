package bundle_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

// TestSourceMap reads a map as its standard says. A file begins within the second line.
func TestSourceMap(t *testing.T) {
	b, err := build(t, map[string]string{
		"main.lua": "--- @include \"in/x\"\n\n  local b\n", "in/x.lua": "local é = 1\nlocal x", "y.lua": "",
	}, bundle.Options{})
	require.NoError(t, err)
	text, err := b.SourceMap(filepath.Join(filepath.Dir(b.Files[0]), "dist", "main.lua"))
	require.NoError(t, err)
	var m struct {
		Version                 int
		File                    string
		Sources, SourcesContent []string
		Names                   []string
		Mappings                string
	}
	require.NoError(t, json.Unmarshal(text, &m))
	require.Equal(t, 3, m.Version)
	require.Equal(t, "main.lua", m.File)
	require.Equal(t, []string{"../main.lua", "../in/x.lua"}, m.Sources)
	require.Equal(t, "local é = 1\nlocal x", m.SourcesContent[1])
	require.Empty(t, m.Names)
	// Line 1 is in/x.lua 1:0; line 2 is in/x.lua 2:0 and then the line break at main.lua 2:0; line
	// 3 is main.lua 3:0.
	require.Equal(t, [][]int{{0, 1, 0, 0}, {0, 1, 1, 0}, {7, 0, 1, 0}, {0, 0, 2, 0}}, decode(m.Mappings))
}

// decode returns the entries of a source map: column, source, line and column there, from 0.
func decode(mappings string) (entries [][]int) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	sum := make([]int, 4)
	for line := range strings.SplitSeq(mappings, ";") {
		sum[0] = 0
		for entry := range strings.SplitSeq(line, ",") {
			if entry == "" {
				continue
			}
			field, value, shift := 0, 0, 0
			for _, c := range entry {
				digit := strings.IndexRune(digits, c)
				value |= digit & 31 << shift
				shift += 5
				if digit&32 == 0 {
					if value&1 != 0 {
						value = -value
					}
					sum[field] += value / 2
					field, value, shift = field+1, 0, 0
				}
			}
			entries = append(entries, append([]int{}, sum...))
		}
	}
	return entries
}
