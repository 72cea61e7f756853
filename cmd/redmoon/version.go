package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/redmoon-lua/redmoon/engine"
)

type versionCommand struct{}

func (versionCommand) Run(std *streams) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	printVersion(std.out, info)
	return nil
}

func printVersion(w io.Writer, info *debug.BuildInfo) {
	own := info.Main.Version
	if own == "" {
		own = "(devel)"
	}
	if revision := setting(info, "vcs.revision"); revision != "" {
		own += " " + revision[:min(len(revision), 12)]
		if setting(info, "vcs.modified") == "true" {
			own += " (modified)"
		}
	}
	fmt.Fprintf(w, "redmoon     %s\n", own)
	fmt.Fprintf(w, "redis       %s (the version it answers as)\n", engine.RedisVersion)
	fmt.Fprintf(w, "gopher-lua  %s (Lua 5.1)\n", dependency(info, "github.com/yuin/gopher-lua"))
	fmt.Fprintf(w, "go          %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// dependency returns the version of a module in this binary, or "none".
func dependency(info *debug.BuildInfo, path string) string {
	for _, m := range info.Deps {
		if m.Path != path {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		return m.Version
	}
	return "none"
}
