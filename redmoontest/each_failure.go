package redmoontest

import (
	"errors"
	"fmt"
	"testing"
)

// FailurePlay is what [EachFailure] does again and again, on a new engine each time.
type FailurePlay struct {
	// Options are those of the engines.
	Options []Option
	// Setup fills the engine. nil: it stays empty.
	Setup func(e *Engine)
	// Run runs scripts. It returns an error if they fail; then it must not have ended the test.
	Run func(e *Engine) error
	// Check returns an error if the keyspace is not as it must be, whether or not Run has failed.
	Check func(e *Engine) error
	// Errors are the error replies with which calls fail. Default: an OOM, a WRONGTYPE, a MISCONF and
	// a READONLY error.
	Errors []string
}

// failures are the default of FailurePlay.Errors.
var failures = []string{
	"OOM command not allowed when used memory > 'maxmemory'.",
	"WRONGTYPE Operation against a key holding the wrong kind of value",
	"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
	"READONLY You can't write against a read only replica.",
}

// Failure is a call whose failure breaks what Check demands.
type Failure struct {
	Call  int    // the number of the redis.call or redis.pcall in the run, from 0
	Then  string // "continues": the calls after it succeed; "stops": they fail too, as when the script is killed
	Error string // the error reply
	Made  Call   // the call that failed
	Run   error  // what Run returned
	Check error  // what Check returned
}

func (f Failure) String() string {
	return fmt.Sprintf("call %d fails (%s), then the script %s: %v; Run returned: %v", f.Call, f.Made, f.Then, f.Check, f.Run)
}

// EachFailure runs a play once for each call that its scripts make of Redis and each error, and
// lets that call fail: alone, and with all calls after it. It reports each failure after which
// Check returns an error, as an error of t, and returns them. It ends the test if the play fails
// when no call does, or calls nothing.
func EachFailure(t testing.TB, play FailurePlay) []Failure {
	t.Helper()
	if play.Errors == nil {
		play.Errors = failures
	}
	made, runErr, err := play.once(t, Fault{})
	if err = errors.Join(runErr, err); err != nil {
		t.Fatalf("redmoontest: no call has failed, but: %v", err)
	}
	if len(made) == 0 {
		t.Fatalf("redmoontest: the scripts call nothing")
	}
	var found []Failure
	for i := range made {
		for _, text := range play.Errors {
			for _, times := range []int{1, -1} {
				then := "continues"
				if times < 0 {
					then = "stops"
				}
				calls, runErr, err := play.once(t, Fault{InScripts: true, After: i, Times: times, Error: text})
				if err != nil {
					found = append(found, Failure{Call: i, Then: then, Error: text, Made: calls[min(i, len(calls)-1)], Run: runErr, Check: err})
				}
			}
		}
	}
	for _, f := range found {
		t.Errorf("redmoontest: %s", f)
	}
	return found
}

// once runs the play with a fault; a Fault without Error is none.
func (p FailurePlay) once(t testing.TB, f Fault) (made []Call, run, check error) {
	t.Helper()
	e := New(t, p.Options...)
	if p.Setup != nil {
		p.Setup(e)
	}
	e.ResetCalls()
	remove := func() {}
	if f.Error != "" {
		remove = e.Inject(f)
	}
	run = p.Run(e)
	remove()
	made = e.ScriptCalls()
	return made, run, p.Check(e)
}
