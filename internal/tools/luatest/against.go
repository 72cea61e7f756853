package luatest

import (
	"errors"

	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
)

// A file whose tests are compared with a server is run twice, each time in a Lua state of its own:
// on engines, and then on the server. In the second run an assertion that does not hold raises no
// error: what counts are the replies, and the keyspace at the end of each test. Tests that use what
// a server does not have run on an engine again, so that the variables of the file are as they
// were.

// record is what is remembered of a test of the first run.
type record struct {
	env      *testredis.Env
	keyspace harness.Keyspace
	result   int // its index among the results
	compared bool
	values   string // of a property
	err      error
}

// record remembers a test, or a run of a property with values, for the second run; in the second
// run it compares.
func (f *File) record(r *run, status Status, values string) {
	if f.opt.Against == nil {
		return
	}
	rec := record{env: r.env, result: len(f.results), compared: status == Passed && len(r.env.Uses()) == 0, values: values}
	if !f.second {
		if rec.compared {
			rec.keyspace, rec.err = r.env.Keyspace()
		}
		f.records = append(f.records, rec)
		return
	}
	if len(f.records) < len(f.first) {
		if before := f.first[len(f.records)]; before.compared && before.err == nil {
			f.compare(before, r)
		}
	}
	f.records = append(f.records, rec)
}

// against returns where the next test runs: on the server in the second run.
func (f *File) against() (on testredis.Server, first *testredis.Env) {
	if n := len(f.records); n < len(f.first) && f.first[n].compared {
		return f.opt.Against, f.first[n].env
	}
	return nil, nil
}

// compare compares a test of the second run with that of the first.
func (f *File) compare(before record, r *run) {
	result := &f.compared[before.result]
	at, err := r.env.Keyspace()
	if err == nil {
		c := testredis.Compare(before.env, r.env, before.keyspace, at)
		if len(r.problems) > 0 && len(c.Differences) == 0 {
			c.Differences = append(c.Differences, "the test fails on the server: "+r.problems[0].Message)
		}
		if before.values != "" && len(c.Differences) > 0 {
			c.Differences[0] = "with " + before.values + ": " + c.Differences[0]
		}
		if result.Comparison == nil || len(result.Comparison.Differences) == 0 { // the first run of a property that differs
			result.Comparison = &c
		}
		if len(c.Differences) > 0 {
			result.Status = Differs
		}
	}
	if err = errors.Join(err, r.env.Finish()); err != nil {
		result.Status = Errored
		result.Problems = append(result.Problems, Problem{Phase: "server", Message: err.Error()})
	}
}

// repeat runs the tests of a file on the server and adds to their results what differs.
func (f *File) repeat(results []Result) error {
	for _, rec := range f.records {
		if results[rec.result].Status == Passed {
			results[rec.result].Comparison = &testredis.Comparison{Uses: rec.env.Uses()}
		}
		if rec.err != nil {
			return rec.err
		}
	}
	opt := Options{Filter: f.opt.Filter, FilterOut: f.opt.FilterOut, Seed: f.opt.Seed, Timeout: f.opt.Timeout, Server: f.opt.Server,
		Against: f.opt.Against, Values: f.values}
	second, err := Load(f.ctx, f.Path, &opt)
	if err != nil {
		return err
	}
	defer second.Close()
	second.second, second.first, second.compared = true, f.records, results
	second.asserts.Lenient = true
	second.Run()
	return testredis.Prepare(f.ctx, f.opt.Against)
}
