package clients

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

var startRedmoonServer Starter

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "redmoon")
		if err == nil {
			defer os.RemoveAll(dir)
			startRedmoonServer, err = Build(dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// play is a test that runs on one server.
type play struct {
	testing.TB
	start Starter

	inProcess bool                      // servers are engines in this process
	engines   map[string]*engine.Engine // by what server has returned

	mu      sync.Mutex
	printed []string
}

// onBoth runs do on redis-server, where there is one, and on Redmoon; both must print the same.
func onBoth(t *testing.T, do func(p *play)) { on(t, false, do) }

// onAll is onBoth, and runs do a third time on engines in this process, for libraries that can be
// given a *redis.Client.
func onAll(t *testing.T, do func(p *play)) { on(t, true, do) }

func on(t *testing.T, inProcess bool, do func(p *play)) {
	t.Parallel()
	var want *play
	t.Run("redis-server", func(t *testing.T) {
		p := &play{TB: t, start: StartRedis}
		do(p)
		want = p
	})
	same := func(p *play) {
		do(p)
		if want != nil {
			for i, line := range want.printed {
				require.Less(p, i, len(p.printed), "redis-server also tells: %q", line)
				require.Equal(p, line, p.printed[i], "what is printed on redis-server and on Redmoon")
			}
			require.Len(p, p.printed, len(want.printed))
		}
	}
	t.Run("redmoon", func(t *testing.T) { same(&play{TB: t, start: startRedmoonServer}) })
	if inProcess {
		t.Run("in process", func(t *testing.T) { same(&play{TB: t, inProcess: true, engines: map[string]*engine.Engine{}}) })
	}
}

// server starts a server for the rest of the test and returns its address.
func (p *play) server(options ...Options) string {
	p.Helper()
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	if p.inProcess {
		e, err := engine.New(engine.Options{Cluster: o.Cluster, Config: o.Config, Fixed: map[string]string{"enable-debug-command": "yes"}})
		require.NoError(p, err)
		p.Cleanup(func() { require.NoError(p, e.Close()) })
		name := fmt.Sprint("engine ", len(p.engines))
		p.engines[name] = e
		return name
	}
	s, err := p.start(o)
	if errors.Is(err, difftest.ErrNoOracle) && os.Getenv("CI") == "" {
		p.Skip(err)
	}
	require.NoError(p, err)
	p.Cleanup(func() { require.NoError(p, s.Stop()) })
	return s.Addr
}

// say prints what a call returned.
func (p *play) say(call string, results ...any) {
	for i, r := range results {
		if err, ok := r.(error); ok {
			results[i] = err.Error()
		}
	}
	p.line(fmt.Sprintf("%s: %s", call, strings.TrimSuffix(fmt.Sprintln(results...), "\n")))
}

func (p *play) line(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printed = append(p.printed, line)
}

// receive takes what comes next from c.
func receive[T any](p *play, c <-chan T) T {
	p.Helper()
	select {
	case v, ok := <-c:
		require.True(p, ok, "the channel is closed")
		return v
	case <-patience.After():
		require.FailNow(p, "nothing came")
		panic("unreachable")
	}
}

// until asks again and again until done says so.
func until(p *play, what string, done func() bool) {
	p.Helper()
	patience.Until(p, done, what)
}

// binary is every byte there is.
var binary = func() string {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}()
