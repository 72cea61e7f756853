package redmoontest

import "github.com/redmoon-lua/redmoon/engine"

// MustSnapshot copies all databases, for [Engine.MustRestore]. It ends the test on an error.
func (e *Engine) MustSnapshot() *engine.Snapshot {
	e.t.Helper()
	s, err := e.Snapshot()
	if err != nil {
		e.t.Fatalf("redmoontest: snapshot: %v", err)
	}
	return s
}

// MustRestore sets all databases back to a snapshot, which can be restored again: a test can fill
// an engine once and play several cases from there. The clock does not go back, so keys whose time
// to live has ended since are not restored. It ends the test on an error, for example for a
// snapshot from before [Engine.Restart].
func (e *Engine) MustRestore(s *engine.Snapshot) {
	e.t.Helper()
	if err := e.Restore(s); err != nil {
		e.t.Fatalf("redmoontest: restore: %v", err)
	}
}
