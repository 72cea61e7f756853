package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"time"
)

// state is what is known about a mutant in the end.
type state string

const (
	killed     state = "killed"
	survived   state = "survived"
	equivalent state = "equivalent"
	notReached state = "not reached"
)

// verdict is the result for a mutant.
type verdict struct {
	*mutant
	state  state
	by     string // what killed it
	reason string // why it is equivalent
	tests  int    // that reach it
	wall   time.Duration
	flaky  []string // tests whose failure did not repeat
}

// tries is how often a failed test may run again to repeat its failure.
const tries = 3

// judge runs the tests that reach a mutant until one kills it.
func (c *children) judge(m *mutant, reaching []*test) (v verdict, err error) {
	began := time.Now()
	v = verdict{mutant: m, state: survived, tests: len(reaching)}
	defer func() { v.wall = time.Since(began) }()
	if len(reaching) == 0 {
		v.state = notReached
		return v, nil
	}
	for _, b := range batches(reaching, path.Dir(m.path)) {
		for len(b.tests) > 0 {
			by, suspects, err := c.try(m, b)
			if err != nil {
				return v, err
			}
			if by != "" {
				v.state, v.by = killed, by
				return v, nil
			}
			for _, t := range suspects {
				v.flaky = append(v.flaky, t.String())
			}
			if len(suspects) == 0 {
				break
			}
			b.tests = slices.DeleteFunc(b.tests, func(t *test) bool { return slices.Contains(suspects, t) })
		}
	}
	return v, nil
}

// try runs a batch with the mutant on. by says what killed it. suspects are tests that failed once and
// then passed; they ended the batch early.
func (c *children) try(m *mutant, b batch) (by string, suspects []*test, err error) {
	o, err := c.runBatch(m, b)
	switch {
	case err != nil || o.passed:
		return "", nil, err
	case o.timedOut:
		return "time-out of " + describe(b), nil, nil
	}
	fewer := b
	if found := failed(o.out, b); len(found) > 0 {
		fewer.tests = found
	}
	for range tries {
		again, err := c.runBatch(m, fewer)
		switch {
		case err != nil:
			return "", nil, err
		case again.timedOut:
			return "time-out of " + describe(fewer), nil, nil
		case !again.passed:
			return describe(fewer), nil, nil
		}
	}
	return "", fewer.tests, nil
}

func (c *children) runBatch(m *mutant, b batch) (outcome, error) {
	t := b.tests[0]
	limit := max(30*time.Second, 10*b.cost)
	return c.run(t.dir, t.bin, m.id, limit, "", "-test.failfast", "-test.run", pattern(t.group, b.names()))
}

var failLine = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// failed returns the tests of a batch that the output calls failed.
func failed(out string, b batch) []*test {
	var list []*test
	for _, found := range failLine.FindAllStringSubmatch(out, -1) {
		for _, t := range b.tests {
			full := t.name
			if t.group != "" {
				full = t.group + "/" + t.name
			}
			if found[1] == full && !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	return list
}

func describe(b batch) string {
	if len(b.tests) == 1 {
		return b.tests[0].String()
	}
	return fmt.Sprintf("%s and %d others", b.tests[0], len(b.tests)-1)
}
