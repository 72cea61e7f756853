package luatest

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/assert"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// matchSnapshot compares a value with the snapshot of the test and the name that may follow.
func (r *run) matchSnapshot(args []luabridge.Value) (*assert.Failure, error) {
	f := r.f
	if r.test == nil {
		return nil, fmt.Errorf("assert.matches_snapshot works in a test")
	}
	name := strings.Join(r.test.names(), " > ")
	if len(args) > 1 && args[1].Kind() == luabridge.StringKind {
		name += " > " + args[1].Text()
	} else {
		r.snaps++
		name += fmt.Sprintf(" %d", r.snaps)
	}
	value := luavalue.Format(args[0])
	saved, known := f.snaps.Match(name, value, f.opt.Update)
	switch {
	case !known:
		return &assert.Failure{Message: fmt.Sprintf("there is no snapshot %q in %s", name, f.snaps.Path()),
			Diff: textdiff.Near(nil, strings.Split(value, "\n")), Hint: "If the value is right, run the test with --update."}, nil
	case saved != value:
		return &assert.Failure{Message: "the value differs from its snapshot:",
			Diff: textdiff.Near(strings.Split(saved, "\n"), strings.Split(value, "\n")),
			Hint: "If the new value is right, run the test with --update."}, nil
	}
	return nil, nil
}

// saveSnapshots writes the snapshots. Which are obsolete is known only if every test has run to its
// end.
func (f *File) saveSnapshots() SnapshotResult {
	s := SnapshotResult{Path: f.snaps.Path()}
	complete := f.opt.Filter == nil && f.opt.FilterOut == nil && !f.stopped && len(f.root.brokenBlocks()) == 0
	for _, r := range f.results {
		complete = complete && r.Status != Failed && r.Status != Errored && r.Status != NotRun && r.Status != Pending
	}
	if complete {
		s.Obsolete = f.snaps.Obsolete()
	}
	if f.opt.Update {
		var err error
		if s.Written, s.Removed, err = f.snaps.Save(complete); err != nil {
			f.done(Result{File: f.Path, Names: []string{"the snapshots"}, Status: Errored, Hook: "file",
				Problems: []Problem{{Phase: "file", Message: err.Error()}}})
		} else {
			s.Obsolete = nil
		}
	}
	return s
}
