package main

import (
	"cmp"
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

// The version, commit and time of a release, which its build sets by -ldflags -X. Empty: the build
// information of Go has them.
var releaseVersion, releaseCommit, releaseDate string

// buildVersion says what was built from what.
type buildVersion struct {
	number   string // such as v1.2.3, or (devel)
	commit   string // 12 digits; "": not known
	date     string // day of the commit, such as 2024-01-31; "": not known
	modified bool   // there were changes that are not in the commit
}

func versionOf(info *debug.BuildInfo) buildVersion {
	if info == nil {
		info = &debug.BuildInfo{}
	}
	v := buildVersion{
		number: cmp.Or(releaseVersion, info.Main.Version, "(devel)"), commit: cmp.Or(releaseCommit, setting(info, "vcs.revision")),
		date: cmp.Or(releaseDate, setting(info, "vcs.time")), modified: setting(info, "vcs.modified") == "true",
	}
	v.commit, v.date = v.commit[:min(len(v.commit), 12)], v.date[:min(len(v.date), len("2006-01-02"))]
	return v
}

// String is the version for people.
func (v buildVersion) String() string {
	text := v.number
	if v.commit != "" {
		text += " " + v.commit
	}
	if v.date != "" {
		text += " of " + v.date
	}
	if v.modified {
		text += " (modified)"
	}
	return text
}

func printVersion(w io.Writer, info *debug.BuildInfo) {
	fmt.Fprintf(w, "redmoon     %s\n", versionOf(info))
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
