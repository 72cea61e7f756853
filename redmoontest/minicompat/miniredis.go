package miniredis

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
	"github.com/redmoon-lua/redmoon/resp"
)

// Miniredis is an in-process Redis for a test. Make it with [RunT], [Run], [RunTLS] or
// [NewMiniRedis]. Its methods may be called by several goroutines at the same time.
//
// The methods that read and write keys work on the database that [Miniredis.Select] has chosen. A
// method that reports no error panics if it cannot do its work: if the database does not exist, or
// if it is called by a hook for a command of a script.
type Miniredis struct {
	// While the Mutex is locked, the commands of clients wait. The methods do not lock it.
	sync.Mutex
	// Ctx ends when the server is closed.
	Ctx context.Context
	// CtxCancel ends Ctx.
	CtxCancel context.CancelFunc

	power  power // the engine
	clock  *clock
	aging  aging
	life   sync.Mutex  // held by Start and Close
	secret atomic.Bool // clients must authenticate
	tester Tester      // of RunT, or nil
	tested sync.Mutex  // protects what follows

	selected    int
	front       *server.Server // the running or the last one; nil: there was none
	resp        *resp.Server   // nil: not started
	listening   listening
	failing     string // SetError before a start
	passwords   map[string]string
	subscribers map[*Subscriber]struct{}
}

// Tester is the part of [testing.TB] that [RunT] needs.
type Tester interface {
	Fatalf(string, ...any)
	Cleanup(func())
	Logf(format string, args ...any)
}

// NewMiniRedis returns a Miniredis that is not started. [Miniredis.Start] or [Miniredis.Dial]
// starts it. Close it then.
func NewMiniRedis() *Miniredis {
	c := &clock{}
	m := &Miniredis{clock: c, passwords: map[string]string{}, subscribers: map[*Subscriber]struct{}{}}
	m.power.clock, m.power.follows = c, "redis-8.0"
	m.Ctx, m.CtxCancel = context.WithCancel(context.Background())
	return m
}

// RunT starts a Miniredis that is closed when the test ends. It ends the test if it cannot start.
func RunT(t Tester) *Miniredis {
	m := NewMiniRedis()
	if err := m.Start(); err != nil {
		t.Fatalf("could not start miniredis: %s", err)
		return nil
	}
	m.tester = t
	t.Cleanup(m.Close)
	return m
}

// Run starts a Miniredis on a free port of the loopback interface.
func Run() (*Miniredis, error) {
	m := NewMiniRedis()
	return m, m.Start()
}
