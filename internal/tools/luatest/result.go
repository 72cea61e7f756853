package luatest

import (
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/assert"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// Status is how a test has ended.
type Status int

// The statuses.
const (
	Passed  Status = iota
	Failed         // an assertion does not hold
	Errored        // an error other than that of an assertion, or a time-out
	Differs        // the test passes, but on the server something was not the same
	Pending        // the test is not written yet, or has said that it cannot run
	NotRun         // a setup function around it has failed, or the run was stopped
)

var statusNames = [...]string{"passed", "failed", "error", "differs", "pending", "not run"}

// String returns the name of the status.
func (s Status) String() string { return statusNames[s] }

// Bad reports whether the status makes the run fail.
func (s Status) Bad() bool { return s == Failed || s == Errored || s == Differs }

// Result is a test that has ended, or a setup or teardown function that has failed.
type Result struct {
	File   string   // path, as it was found
	Names  []string // of the blocks around the test, and its own
	Line   int      // where the test begins; 0: unknown
	Status Status
	Hook   string // "setup" or "teardown": it is not a test

	Seed     uint64 // of the values, if a property has failed; else 0
	Reason   string // why it is pending or not run
	Problems []Problem
	Output   string   // what it has printed
	Logs     []string // what its scripts have logged
	Duration time.Duration

	// On has how the test has ended on each server, if it was run on several and did not end in the
	// same way; Status is the worst then.
	On []ServerResult
	// Comparison is nil if the test was not run on a server.
	Comparison *testredis.Comparison
}

// Name returns the full name.
func (r Result) Name() string { return strings.Join(r.Names, " ") }

// Problem is an error of a test.
type Problem struct {
	Phase   string          // "before_each", "test", "finally", "after_each", "setup", "teardown", "file"
	Message string          // first line: the position, if it is known
	Failure *assert.Failure // nil: it is another error
	Trace   []luabridge.TraceLine
	File    string // where it was raised; "": unknown
	Line    int
	Excerpt string // the lines of the file around
	Script  *Script
	On      []string // the servers on which it is; nil: on all
}

// Script is the last run of a script before a problem.
type Script struct {
	Label    string         // name, keys and arguments
	Commands []harness.Call // what it has called
	Error    string         // its error reply, or ""
	Excerpt  string         // the lines of the script that the error names
	Stays    bool           // it has written before it failed, and that was not undone
}

// FileResult is a test file that has run.
type FileResult struct {
	Path      string
	Results   []Result
	Snapshots SnapshotResult
	Duration  time.Duration
	Reads     []string // the paths of the files that it has read, itself included
	Stopped   bool     // the run was stopped before its end

	On []ServerCounts // the tests on each server, if there are several
}

// SnapshotResult is what became of the snapshots of a file.
type SnapshotResult struct {
	Path     string
	Written  int
	Removed  int
	Obsolete []string // names that no test has used
}

// Counts are numbers of tests by status.
type Counts [NotRun + 1]int

// Count adds the results of a file.
func (c *Counts) Count(f FileResult) {
	for _, r := range f.Results {
		if r.Hook == "" || r.Status.Bad() {
			c[r.Status]++
		}
	}
}

// Bad returns the number of results that make the run fail.
func (c Counts) Bad() int { return c[Failed] + c[Errored] + c[Differs] }

// Tests returns the number of tests.
func (c Counts) Tests() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}
