package luatest

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
)

// Timeout is the time that a test, and each function around it, may take by default.
const Timeout = 10 * time.Second

// Options say which tests run, and how. The zero value runs all of them.
type Options struct {
	// Filter chooses the tests whose full name it matches, FilterOut leaves tests out. Optional.
	Filter, FilterOut *regexp.Regexp
	// Seed is the seed of the order of the tests, and of pairs in tests and scripts. 0: tests run in
	// the order of the file, and pairs is that of Redis.
	Seed uint64
	// Values is the seed of the values of properties. 0: another one in each run.
	Values uint64
	// Runs is how often a property runs that does not say so itself. Default: 100.
	Runs int
	// FailFast stops the run after the first problem.
	FailFast bool
	// Parallel is the number of files that run at the same time. Default: 1.
	Parallel int
	// Timeout is the time that a test, and each function around it, may take. Default: [Timeout].
	Timeout time.Duration
	// Update makes the values of snapshots the expected ones, and removes obsolete snapshots.
	Update bool
	// Server is the server that engines follow; see [engine.Options]. Default: "redis-7.0".
	Server string
	// Servers are several servers: each file runs on engines that follow the first one, then the
	// second one, and so on. They take the place of Server. Not together with Against. Optional.
	Servers []string
	// Against repeats each test on a real server. Optional.
	Against testredis.Server

	// Around is called for each block and each test with its name, and must call run, which runs it.
	// Optional.
	Around func(name string, run func() []Result)
	// Done is called when a test has ended, from the goroutine of its file. Optional.
	Done func(Result)
	// Coverage, Profile, StrictKeys and ScriptMigrate are those of the engines; see [engine.Options].
	// Optional.
	Coverage      *engine.Coverage
	Profile       *engine.Profile
	StrictKeys    engine.KeyPolicy
	ScriptMigrate bool
	// Folders are the folders with files that a test may read, besides its own. None: all. A file in a
	// folder counts where its links lead.
	Folders []string
	// Env are the names of the variables of the environment that a test may read. nil: all.
	Env []string
	// OnScript is called for each script and library before it runs. Optional.
	OnScript func(testredis.Source)

	// Only chooses tests by the names of their blocks and their own, and by the line on which they
	// begin, in addition to Filter and FilterOut. Optional.
	Only func(names []string, line int) bool
	// Debug lets a debugger see what the tests run. Optional.
	Debug *Debug

	after func(d time.Duration, f func()) (stop func() bool) // in place of time.AfterFunc; nil: that
}

func (o *Options) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return Timeout
}

// afterFunc calls f when d has passed, unless stop is called before.
func (o *Options) afterFunc(d time.Duration, f func()) (stop func() bool) {
	if o.after != nil {
		return o.after(d, f)
	}
	return time.AfterFunc(d, f).Stop
}

// Debug is how a debugger sees tests. All functions are called on the goroutine of the test file.
type Debug struct {
	// Engine is called with each engine before it runs a command; see [testredis.Options.OnEngine].
	Engine func(e *engine.Engine, h testredis.Hooks) error
	// Call is called before a test or hook uses Redis, with the phase (see [Problem]), the file and
	// the line of the call. line is 0 if it is not known.
	Call func(phase, file string, line int)
	// Failed is called when something has failed: an assertion, for example. Optional.
	Failed func()
}

// selects reports whether a test runs.
func (o *Options) selects(t *test) bool {
	names := t.names()
	name := strings.Join(names, " ")
	if o.Only != nil && !o.Only(names, t.line) {
		return false
	}
	return (o.Filter == nil || o.Filter.MatchString(name)) && (o.FilterOut == nil || !o.FilterOut.MatchString(name))
}

// shuffler returns the source of the order of what has a name, or nil.
func (o *Options) shuffler(name string) *rand.Rand {
	if o.Seed == 0 {
		return nil
	}
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(o.Seed, h))
}
