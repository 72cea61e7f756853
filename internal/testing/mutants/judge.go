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
	flaky  []string // tests whose failure says nothing about the mutant
}

// tries is how often a failed test may run again to repeat its failure.
const tries = 3

// patience is how long tests may take, if ten times their normal time is less.
const patience = 30 * time.Second

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
			b.tests = slices.DeleteFunc(slices.Clone(b.tests), func(t *test) bool { return slices.Contains(suspects, t) })
		}
	}
	return v, nil
}

// try runs a batch with the mutant on. by says what killed it. suspects are tests whose failure did
// not repeat, or that fail without the mutant too; they ended the batch early.
func (c *children) try(m *mutant, b batch) (by string, suspects []*test, err error) {
	o, err := c.runBatch(m.id, b, patience)
	if err != nil || o.passed {
		return "", nil, err
	}
	if found := failed(o.out, b); len(found) > 0 {
		b.tests = found
	}
	if o.timedOut { // once more, since a machine may stand still
		by, err = c.repeat(m, b, 1, 10*time.Second)
		return by, b.tests, err
	}
	for _, t := range b.tests {
		again := tries
		if len(b.tests) > 1 { // the process ended without the name of a test
			again = 1
		}
		if by, err = c.repeat(m, batch{[]*test{t}, b.cost}, again, patience); by != "" || err != nil {
			return by, nil, err
		}
	}
	if len(b.tests) > 1 { // perhaps only together
		by, err = c.repeat(m, b, tries, patience)
	}
	return by, b.tests, err
}

// repeat runs tests that may have failed again.
func (c *children) repeat(m *mutant, b batch, times int, least time.Duration) (by string, err error) {
	for range times {
		o, err := c.runBatch(m.id, b, least)
		switch {
		case err != nil:
			return "", err
		case o.timedOut:
			return c.without(b, "time-out of ")
		case !o.passed:
			return c.without(b, "")
		}
	}
	return "", nil
}

// without makes sure that tests pass with no mutant on, twice.
func (c *children) without(b batch, how string) (by string, err error) {
	for range 2 {
		if o, err := c.runBatch(0, b, patience); err != nil || !o.passed {
			return "", err
		}
	}
	return how + describe(b), nil
}

// runBatch waits ten times as long as the tests take with no mutant on, but not less than least.
func (c *children) runBatch(id int, b batch, least time.Duration) (outcome, error) {
	t := b.tests[0]
	limit := max(least, 10*b.cost)
	return c.run(t.dir, t.bin, id, limit, "", "-test.failfast", "-test.run", pattern(t.group, b.names()))
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
