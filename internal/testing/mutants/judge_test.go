package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBatches(t *testing.T) {
	one := func(dir, group, name string, cost time.Duration) *test {
		return &test{dir: dir, group: group, name: name, cost: cost}
	}
	var got []string
	for _, b := range batches([]*test{
		one("far", "", "TestSlow", time.Minute),
		one("far", "", "TestB", 20*time.Millisecond),
		one("far", "", "TestA", 10*time.Millisecond),
		one("far", "TestOracle/keys", "ttl", 5*time.Millisecond),
		one("own", "", "TestOwn", 2*time.Second),
		one("own", "", "TestOther", 2*time.Second),
	}, "own") {
		got = append(got, b.tests[0].dir+" "+pattern(b.tests[0].group, b.names()))
	}
	require.Equal(t, []string{
		"own ^(TestOther)$", "own ^(TestOwn)$",
		"far ^TestOracle$/^keys$/^(ttl)$", "far ^(TestA|TestB)$", "far ^(TestSlow)$",
	}, got)
}

func TestFailedTestsAreNamed(t *testing.T) {
	a, b := &test{name: "TestA"}, &test{name: "TestAB"}
	require.Equal(t, []*test{a}, failed("--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/TestAB (0.00s)\n", batch{tests: []*test{a, b}}))
	c := &test{group: "TestOracle/keys", name: "ttl"}
	require.Equal(t, []*test{c}, failed("    --- FAIL: TestOracle/keys/ttl (0.00s)\n", batch{tests: []*test{c}}))
	require.Empty(t, failed("panic: of another goroutine\n", batch{tests: []*test{a, b, c}}))
}

func TestEndsKeepsBothEnds(t *testing.T) {
	var e ends
	for range 100 {
		n, err := e.Write(make([]byte, 50_000))
		require.NoError(t, err)
		require.Equal(t, 50_000, n)
	}
	_, err := e.Write([]byte("the end"))
	require.NoError(t, err)
	require.LessOrEqual(t, len(e.String()), 3*endSize+8)
	require.Equal(t, "the end", e.String()[len(e.String())-7:])
}
