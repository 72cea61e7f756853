package redmoontest_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/redmoontest"
)

const takeOne = `
	local left = tonumber(redis.call('GET', KEYS[1]) or 0)
	if left < 1 then return -1 end
	redis.call('RPUSH', KEYS[2], ARGV[1])
	return redis.call('DECR', KEYS[1])`

// A test of a script that sells what is in stock.
func ExampleNew() {
	run(func(t testing.TB) { // func TestStockIsNeverOversold(t *testing.T)
		e := redmoontest.New(t)
		e.MustDo("SET", "stock", 1, "EX", 60)

		require.Equal(t, int64(0), e.MustEval(takeOne, []string{"stock", "buyers"}, "ann").MustInt())
		require.Equal(t, int64(-1), e.MustEval(takeOne, []string{"stock", "buyers"}, "bob").MustInt())
		require.Equal(t, redmoontest.Keyspace{
			"stock":  "0",
			"buyers": redmoontest.List{"ann"},
		}, e.Keyspace())

		e.Advance(61 * time.Second)
		require.Equal(t, []string{"buyers"}, e.Keyspace().Keys())
	})
	// Output: PASS
}

// A test that a script can run on a Redis Cluster: its keys share a slot, and so a node.
func ExampleWithCluster() {
	run(func(t testing.TB) { // func TestStockOnACluster(t *testing.T)
		e := redmoontest.New(t, redmoontest.WithCluster())

		_, err := e.Eval(context.Background(), takeOne, []string{"stock", "buyers"}, "ann")
		require.EqualError(t, err, "CROSSSLOT Keys in request don't hash to the same slot")

		e.MustDo("SET", "{shoe}:stock", 1)
		require.Equal(t, int64(0), e.MustEval(takeOne, []string{"{shoe}:stock", "{shoe}:buyers"}, "ann").MustInt())
	})
	// Output: PASS
}

// Only the test moves the clock of its engine.
func ExampleEngine() {
	run(func(t testing.TB) { // func TestSessionsExpire(t *testing.T)
		e := redmoontest.New(t)
		e.MustDo("SET", "session:ann", "…", "EX", 60)
		e.MustDo("SET", "session:bob", "…", "PX", 1500)
		fmt.Println(e.TTLs())

		e.Advance(30 * time.Second)
		fmt.Println(e.TTLs())
	})
	// Output:
	// map[session:ann:1m0s session:bob:1.5s]
	// map[session:ann:30s]
	// PASS
}

// A failed comparison prints both keyspaces; this is how one looks.
func ExampleKeyspace() {
	fmt.Print(redmoontest.Keyspace{
		"stock":  "0",
		"buyers": redmoontest.List{"ann", "bob"},
		"scores": redmoontest.ZSet{{Name: "ann", Score: 2.5}},
	})
	// Output:
	// "buyers": List{"ann", "bob"}
	// "scores": ZSet{Member{Name:"ann", Score:2.5}}
	// "stock": "0"
}

// run runs the body of a test in an example, which has no *testing.T, and prints PASS or what has
// failed.
func run(test func(testing.TB)) {
	t := &exampleT{TB: &testing.T{}}
	test(t)
	for _, f := range t.cleanups {
		f()
	}
	if !t.failed {
		fmt.Println("PASS")
	}
}

// exampleT implements what redmoontest and require use of a testing.TB.
type exampleT struct {
	testing.TB
	cleanups []func()
	failed   bool
}

func (t *exampleT) Helper()           {}
func (t *exampleT) Name() string      { return "TestClaim" }
func (t *exampleT) Output() io.Writer { return io.Discard }
func (t *exampleT) Cleanup(f func())  { t.cleanups = append(t.cleanups, f) }
func (t *exampleT) FailNow()          { panic("the test has failed") }

func (t *exampleT) Errorf(format string, args ...any) {
	t.failed = true
	fmt.Printf(format+"\n", args...)
}

func (t *exampleT) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	t.FailNow()
}
