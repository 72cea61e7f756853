package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/browsertest"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/crew"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/pgtest"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

func TestMain(m *testing.M) {
	if crew.IsChild() {
		os.Exit(crew.Child())
	}
	if os.Getenv(isProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// output is what a program prints, for it and a test at the same time.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// program runs the program to its end.
func program(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs output
	code = run(ctx, args, &out, &errs, false)
	return code, out.String(), errs.String()
}

// wentWell is what the program must print, with the numbers of a run of 1,000 packets.
func wentWell(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	require.Zero(t, code, stdout+stderr)
	require.Equal(t, 9, strings.Count(stdout, "audit  ok  "), stdout)
	require.Contains(t, stdout, "980 settlements of 980 grabs, 0 missing, 0 twice, 0 unfounded")
	require.Regexp(t, regexp.MustCompile(`the money adds up +[0-9.,]+ settled and [0-9.,]+ refunded of 500\.00\n`), stdout)
}

func TestTheWholeStory(t *testing.T) {
	ctx := context.Background()
	common := []string{"--packets=1000", "--total=500.00", "--batch=100", "--workers=8"}
	with := func(more ...string) []string { return append(append([]string{}, common...), more...) }
	t.Run("engine", func(t *testing.T) {
		code, stdout, stderr := program(t, ctx, with()...)
		wentWell(t, code, stdout, stderr)
		require.Contains(t, stdout, "on the embedded engine; settled in SQLite, ")
		file := regexp.MustCompile(`SQLite, (\S+)`).FindStringSubmatch(stdout)[1]
		_, err := os.Stat(filepath.Dir(file))
		require.ErrorIs(t, err, os.ErrNotExist, "a temporary database is removed")
	})
	t.Run("two engines, two runs in one file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "kept.db")
		for range 2 {
			code, stdout, stderr := program(t, ctx, with("--shards=2", "--activities=4", "--consumers=2", "--db", file)...)
			wentWell(t, code, stdout, stderr)
			require.Contains(t, stdout, "4 refunds of 4 due")
		}
	})
	t.Run("redis-server", func(t *testing.T) {
		redistest.Need(t)
		s, err := redistest.Start()
		require.NoError(t, err)
		t.Cleanup(s.Stop)
		code, stdout, stderr := program(t, ctx, with("--target", "redis://"+s.Addr)...)
		wentWell(t, code, stdout, stderr)
		v, err := s.Do("DBSIZE")
		require.NoError(t, err)
		require.Zero(t, v.MustInt(), "no key is left")
	})
	t.Run("Redis Cluster", func(t *testing.T) {
		redistest.Need(t)
		c, err := redistest.StartCluster(3)
		require.NoError(t, err)
		t.Cleanup(c.Stop)
		code, stdout, stderr := program(t, ctx, with("--activities=6", "--target", "redis+cluster://"+c.Addrs()[0])...)
		wentWell(t, code, stdout, stderr)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		code, stdout, stderr := program(t, ctx, with("--consumers=2", "--dsn", pgtest.Database(t))...)
		wentWell(t, code, stdout, stderr)
		require.Contains(t, stdout, "settled in PostgreSQL, ")
	})
	t.Run("consumers killed", func(t *testing.T) {
		code, stdout, stderr := program(t, ctx, with("--kill=5", "--over=2s")...)
		wentWell(t, code, stdout, stderr)
		require.Contains(t, stdout, "faults: consumers were killed ")
	})
}

// TestThePageOfARun watches a run in a browser from its beginning to its end.
func TestThePageOfARun(t *testing.T) {
	tab := browsertest.Open(t)
	tab.Put(browsertest.Look{Width: 1280, Height: 900}) // starts the browser, before the run
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout, stderr output
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"--packets=3000", "--total=3000.00", "--over=8s", "--listen=127.0.0.1:0"}, &stdout, &stderr, false)
	}()
	address := regexp.MustCompile(`http://[0-9.:]+`)
	require.NoError(t, patience.Try(func() error {
		if !address.MatchString(stdout.String()) {
			return errors.New("no address: " + stderr.String())
		}
		return nil
	}))
	tab.Go(address.FindString(stdout.String()))
	number := func(id string) string {
		return `Number(document.getElementById('` + id + `').textContent.replace(/[^0-9.]/g, ''))`
	}
	for _, id := range []string{"rate", "p50", "p99", "given", "settledMoney", "settleRate"} {
		tab.Await(number(id) + " > 0")
	}
	given := browsertest.Eval[float64](tab, number("given"))
	tab.Shoot("run-running")
	tab.Await(number("given") + " > " + strconv.FormatFloat(given, 'f', 2, 64) + ` || document.body.dataset.stage === 'done'`)
	tab.Await(`document.body.dataset.stage === 'done'`)
	require.Equal(t, "Finished: every grab is settled exactly once",
		browsertest.Eval[string](tab, `document.querySelector('#verdict h2').textContent`))
	require.Equal(t, 9, browsertest.Eval[int](tab, `document.querySelectorAll('#audit tbody tr:not(.bad)').length`))
	require.Equal(t, "2,940 packets grabbed", browsertest.Eval[string](tab, `document.getElementById('grabbed').textContent`))
	require.Equal(t, 0.0, browsertest.Eval[float64](tab, number("backlog")))
	require.True(t,
		browsertest.Eval[bool](tab, `document.getElementById('given').textContent === document.getElementById('settledMoney').textContent`))
	require.Empty(t, tab.Complaints())
	tab.Shoot("run-done")

	cancel()
	require.Zero(t, <-ended, stderr.String())
	require.Contains(t, stdout.String(), "2,940 settlements of 2,940 grabs")
	tab.Await(`document.getElementById('connection').textContent === 'the server has ended'`)
}

func TestArgumentsThatMakeNoSense(t *testing.T) {
	for _, args := range [][]string{
		{"--nonsense"}, {"--packets=x"}, {"--batch=0"}, {"--batch=1001"}, {"--kill=-1"}, {"--over=-1s"}, {"--consumers=0"}, {"--shards=0"},
		{"--shards=2", "--kill=1"}, {"--shards=2", "--target=redis://x"}, {"--db=a", "--dsn=postgres://b/c"},
		{"--dir=x", "--shards=2"}, {"--dir=x", "--target=redis://x"},
	} {
		code, stdout, stderr := program(t, context.Background(), args...)
		require.Equal(t, 2, code, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "redpacketrain: ")
	}
	for _, args := range [][]string{
		{"--packets=0"}, {"--packets=3", "--activities=4"}, {"--packets=100", "--total=0.99"}, {"--total=1.234"}, {"--target=http://x"},
		{"--target=redis://127.0.0.1:1"}, {"--db=/no/such/folder/x.db"}, {"--dsn=mysql://x/y"}, {"--listen=256.0.0.1:1"},
	} {
		code, _, stderr := program(t, context.Background(), args...)
		require.Equal(t, 1, code, args)
		require.Contains(t, stderr, "redpacketrain: ")
	}
}

func TestItCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code, _, stderr := program(t, ctx, "--packets=10")
	require.Equal(t, 130, code)
	require.Equal(t, "redpacketrain: interrupted\n", stderr)
}

func TestHelp(t *testing.T) {
	code, stdout, _ := program(t, context.Background(), "--help")
	require.Zero(t, code)
	require.Contains(t, stdout, "--dsn=URL")
}
