// Package tier says in which run a test is, and how much it has to do there.
//
// There are three runs. Each has every test of the one before; a case file may go through another
// door there. docs/testing.md has the table.
//
//	test     make test: a user's machine with only Go, in two minutes
//	landing  .ci/run: every commit that lands, with the oracle
//	nightly  make nightly: the long campaigns, in hours
//
// The variable REDMOON_TIER names the run; its default is test. A test that belongs to a later run
// begins with [Landing] or [Nightly]. A test of random inputs asks [Number] how many, and [Seed]
// with which it begins.
package tier

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
)

// Variable names the run: "test", "landing" or "nightly". Default: "test".
const Variable = "REDMOON_TIER"

// nightlyFactor is how many times as many inputs a test of random ones has in the nightly run as in
// the landing run.
const nightlyFactor = 10

type level int

const (
	test level = iota
	landing
	nightly
)

var names = [...]string{"test", "landing", "nightly"}

// current reads [Variable]. It panics if the variable names no run: a test must not pass because of
// a misspelled one.
func current() level {
	name := os.Getenv(Variable)
	if name == "" {
		return test
	}
	for l, n := range names {
		if n == name {
			return level(l)
		}
	}
	panic(fmt.Sprintf("%s=%s: want test, landing or nightly", Variable, name))
}

// Landing skips a test that .ci/run and make nightly run, and make test does not.
func Landing(t testing.TB) {
	t.Helper()
	least(t, landing)
}

// Nightly skips a test that only make nightly runs.
func Nightly(t testing.TB) {
	t.Helper()
	least(t, nightly)
}

func least(t testing.TB, l level) {
	t.Helper()
	if current() < l {
		t.Skipf("runs with %s=%s", Variable, names[l])
	}
}

// IsLanding reports whether this run is the landing run or the nightly one.
func IsLanding() bool { return current() >= landing }

// IsNightly reports whether this run is the nightly one.
func IsNightly() bool { return current() >= nightly }

// Number returns how many inputs a test has: the value of the variable if it is set, else short in
// make test and long in .ci/run. The nightly run has ten times as many as .ci/run. It panics if the
// variable is not a number above 0.
func Number(variable string, short, long int) int {
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			panic(fmt.Sprintf("%s=%s: not a number above 0", variable, text))
		}
		return n
	}
	switch current() {
	case nightly:
		return nightlyFactor * long
	case landing:
		return long
	}
	return short
}

// Amount returns how much a test does of what it always repeats: short in make test, long in
// .ci/run and the nightly run.
func Amount(short, long int) int {
	if IsLanding() {
		return long
	}
	return short
}

// Seed returns REDMOON_SEED, the seed of tests of random inputs. Default: 1. It panics if the
// variable is not a number of 64 bits without a sign.
func Seed() uint64 {
	text := os.Getenv("REDMOON_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("REDMOON_SEED=%s: not a number", text))
	}
	return n
}

// Rand returns a source of random numbers that follow from [Seed] and the name of the test. Any
// number of goroutines may use it. A failed test logs the seed.
func Rand(t testing.TB) *rand.Rand {
	seed, name := Seed(), uint64(0)
	for _, c := range t.Name() {
		name = name*31 + uint64(c)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return rand.New(&shared{s: rand.NewPCG(seed, name)})
}

// shared is a source for several goroutines.
type shared struct {
	mu sync.Mutex
	s  rand.Source
}

func (s *shared) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.s.Uint64()
}
