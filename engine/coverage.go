package engine

import (
	"io"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/internal/core/profile"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// What [Options.Coverage] counts. Package luabridge documents the methods.
type (
	// Coverage counts which lines, branches and functions of scripts and libraries run, on one engine
	// or several.
	Coverage = luabridge.Coverage
	// ScriptCoverage is what has run of one script or library.
	ScriptCoverage = luabridge.ScriptCoverage
	// LineCoverage is how often a line was reached.
	LineCoverage = luabridge.LineCoverage
	// BranchCoverage is how often a run has gone each way at a condition.
	BranchCoverage = luabridge.BranchCoverage
	// BranchKind says what a branch depends on.
	BranchKind = luabridge.BranchKind
	// FunctionCoverage is how often a function was called.
	FunctionCoverage = luabridge.FunctionCoverage
)

// The kinds of branches.
const (
	BranchIf     = luabridge.BranchIf
	BranchElseif = luabridge.BranchElseif
	BranchWhile  = luabridge.BranchWhile
	BranchUntil  = luabridge.BranchUntil
	BranchAnd    = luabridge.BranchAnd
	BranchOr     = luabridge.BranchOr
	BranchFor    = luabridge.BranchFor
)

// NewCoverage returns a Coverage that has counted nothing, for [Options.Coverage].
func NewCoverage() *Coverage { return luabridge.NewCoverage() }

// WriteCoverage writes scripts in the form that "redmoon coverage" reads. What is written for the
// same script several times, also by several programs, is added up. The error is that of w.
func WriteCoverage(w io.Writer, scripts []ScriptCoverage) error { return coverage.Write(w, scripts) }

// What [Options.Profile] measures. Package luabridge documents the methods.
type (
	// Profile measures what the lines of scripts cost, on one engine or several.
	Profile = luabridge.Profile
	// ProfileSample is what one line has cost when it was called in one way.
	ProfileSample = luabridge.ProfileSample
	// ProfileFrame is a line of a function, or a library function or command without a line.
	ProfileFrame = luabridge.ProfileFrame
)

// NewProfile returns a Profile that has measured nothing, for [Options.Profile].
func NewProfile() *Profile { return luabridge.NewProfile() }

// WriteProfile writes a profile in the format of pprof: "go tool pprof -lines -top FILE" lists
// lines of scripts. Its values are hits, calls, commands, alloc (bytes) and time, which is the
// default. The error is that of w.
func WriteProfile(w io.Writer, p *Profile) error { return profile.Write(w, p, time.Now()) }

// hotLine implements server.Owner.
func (s *scripting) hotLine() string {
	if s.lastVM != nil {
		if line, ok := s.lastVM.HotLine(); ok {
			return line.String()
		}
	}
	return ""
}
