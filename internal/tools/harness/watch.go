package harness

import (
	"slices"
	"sync"

	"github.com/redmoon-lua/redmoon/engine"
)

// Watch remembers the commands of an engine and lets some fail. All methods are safe for concurrent
// use.
type Watch struct {
	mu     sync.Mutex // guards what follows
	calls  callLog
	faults faults
	quiet  bool
}

// NewWatch returns a Watch that remembers the last calls: at most as many as most, and at most
// [MostBytes] of them, but at least half as many.
func NewWatch(most int) *Watch { return &Watch{calls: callLog{most: most}} }

// Probe returns the probe by which the Watch sees an engine; see [engine.Engine.SetProbe].
func (w *Watch) Probe() *engine.Probe {
	return &engine.Probe{
		Refuse: func(c engine.ProbedCommand) *engine.Error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.quiet {
				return nil
			}
			return w.faults.hit(c)
		},
		Ran: func(c engine.ProbedCommand, v engine.Value) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if !w.quiet {
				w.calls.add(CallOf(c, v))
			}
		},
	}
}

// Quietly calls f. The commands that the engine runs meanwhile do not count: they belong to the
// runner of the test.
func (w *Watch) Quietly(f func()) {
	w.SetQuiet(true)
	defer w.SetQuiet(false)
	f()
}

// SetQuiet sets whether commands do not count, as in [Watch.Quietly].
func (w *Watch) SetQuiet(quiet bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quiet = quiet
}

// IsQuiet reports whether f of [Watch.Quietly] runs.
func (w *Watch) IsQuiet() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.quiet
}

// Inject lets commands fail. remove ends that. A command fails by the first fault that concerns it;
// a command of MULTI fails when EXEC runs it. Caller must have checked f.
func (w *Watch) Inject(f Fault) (remove func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	added := w.faults.add(f)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.faults.remove(added)
	}
}

// RemoveFaults removes all faults.
func (w *Watch) RemoveFaults() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = nil
}

// Injected reports whether there are faults that may still let a command fail. They are counted
// over all clients, so no two commands commute.
func (w *Watch) Injected() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.faults) > 0
}

// Faults returns the faults that may still let a command fail, with what is left of their counts.
func (w *Watch) Faults() []Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := make([]Fault, len(w.faults))
	for i, f := range w.faults {
		list[i] = *f
	}
	return list
}

// Save returns a function that sets the Watch back to what it is now: later calls are forgotten,
// and the faults that are left count again as they do now.
func (w *Watch) Save() (restore func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls, list := w.calls, slices.Clone(w.faults)
	values := make([]Fault, len(list))
	for i, f := range list {
		values[i] = *f
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls, w.faults = calls, slices.Clone(list)
		for i, f := range list {
			*f = values[i]
		}
	}
}

// Mark returns the number of calls so far, for [Watch.Since].
func (w *Watch) Mark() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls.end()
}

// Since returns the calls after a mark, or those that are remembered of them. A script comes after
// the commands that it has called. Commands that were refused before they ran, such as unknown
// ones, are not among them.
func (w *Watch) Since(mark int) []Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls.since(mark))
}

// Calls returns all calls that are remembered.
func (w *Watch) Calls() []Call { return w.Since(0) }

// ScriptCalls returns those of [Watch.Since] that scripts and functions have made.
func (w *Watch) ScriptCalls(mark int) []Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []Call
	for _, c := range w.calls.since(mark) {
		if c.Script {
			list = append(list, c)
		}
	}
	return list
}

// Forget forgets the calls. Marks from before do not count any more.
func (w *Watch) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = callLog{most: w.calls.most}
}
