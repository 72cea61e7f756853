package main

import (
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// translate rewrites the command lines that people try before they know the commands: --version,
// help [command], and a script alone, which is run.
func translate(args []string, app *kong.Application) []string {
	known := func(name string) bool {
		return slices.ContainsFunc(app.Children, func(n *kong.Node) bool { return n.Name == name })
	}
	switch first := args[0]; {
	case first == "--version" || first == "-v" || first == "-V":
		return append([]string{"version"}, args[1:]...)
	case first == "help" && len(args) == 1:
		return []string{"--help"}
	case first == "help":
		return []string{args[1], "--help"}
	case !known(first) && isScript(first):
		return append([]string{"run"}, args...)
	}
	return args
}

// isScript reports whether a word names a Lua file, or another file that exists.
func isScript(word string) bool {
	if strings.HasPrefix(word, "-") {
		return false
	}
	info, err := os.Stat(word)
	return strings.HasSuffix(word, ".lua") || err == nil && info.Mode().IsRegular()
}

// ownsFlag reports whether a command has a flag of that name.
func ownsFlag(std *streams, command, flag string) bool {
	for _, n := range newParser(std, func(int) {}).Model.Children {
		if n.Name == command {
			return slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == flag })
		}
	}
	return false
}
