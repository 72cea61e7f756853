package miniredis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
)

// databases is the number of databases. miniredis has any number.
const databases = 64

// power holds the engine of a Miniredis. The engine runs while it is on. While it is off, the
// closed engine keeps the data, and no goroutine runs.
type power struct {
	clock *clock

	readOnly atomic.Pointer[map[string]bool] // the engine's commands, and whether they only read; nil: not asked yet

	mu      sync.RWMutex
	follows string         // the server, see Follow
	e       *engine.Engine // nil: never used
	on      bool
}

// use calls f with the engine, which it starts for this call if it is off. It panics if f returns
// an error.
func (p *power) use(f func(e *engine.Engine) error) {
	if p.useRunning(f) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on {
		check(p.start())
		defer func() { check(p.e.Close()) }()
	}
	check(f(p.e))
}

// useRunning is use if the engine is on; otherwise it returns false.
func (p *power) useRunning(f func(e *engine.Engine) error) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.on {
		check(f(p.e))
	}
	return p.on
}

// start starts the engine. The caller holds mu.
func (p *power) start() error {
	if p.e != nil {
		e, err := enginedoor.Of(p.e).Reopen()
		if err == nil {
			p.e = e
		}
		return err
	}
	e, err := engine.New(engine.Options{
		Databases: databases, Server: p.follows, Clock: p.clock, Rand: rand.NewPCG(rand.Uint64(), rand.Uint64()),
	})
	if err != nil {
		return err
	}
	p.e = e
	return enginedoor.Of(e).HoldTTLs(true)
}

// Follow makes the Miniredis answer as a server does, one of those of [engine.Options], such as
// "redis-8.6" or "valkey-9.1". It must be called before anything else; a later call, or an unknown
// server, is an error. Default: "redis-8.0".
func (m *Miniredis) Follow(server string) error {
	s, ok := servers.Parse(server)
	if !ok {
		return fmt.Errorf("miniredis: Follow: %q is not one of %s", server, servers.Names())
	}
	m.power.mu.Lock()
	defer m.power.mu.Unlock()
	if m.power.e != nil {
		return errors.New("miniredis: Follow must be called before the first use")
	}
	m.power.follows = s.String()
	return nil
}

// endGrace is how long a script may still run when the server is closed, by the machine's clock.
const endGrace = time.Second

// endScripts stops a script that does not end while the server is closed, and says which one. The
// caller calls done when the engine is off.
func (p *power) endScripts(t Tester) (done func()) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	e := p.e
	timer := time.AfterFunc(endGrace, func() {
		enginedoor.Of(e).EndScripts("ERR Script stopped: the server is closed", func(command string) {
			if t != nil {
				t.Logf("miniredis: this was still running when the server was closed, and has been stopped: %s", command)
			}
		})
	})
	return func() { timer.Stop() }
}

// turnOn starts the engine for a server.
func (p *power) turnOn(front *server.Server) (*engine.Engine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on {
		if err := p.start(); err != nil {
			return nil, err
		}
		commands, err := commandsOf(p.e, p.follows)
		if err != nil {
			return nil, err
		}
		p.readOnly.Store(&commands)
		p.on = true
	}
	return p.e, p.e.SetProbe(context.Background(), probe(front))
}

// turnOff stops the engine. It keeps the data.
func (p *power) turnOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on {
		p.on = false
		check(p.e.Close())
	}
}

// probe shows the commands of scripts to the hook of a server, and counts them.
func probe(front *server.Server) *engine.Probe {
	return &engine.Probe{
		Refuse: func(c engine.ProbedCommand) *engine.Error {
			if !c.Script {
				return nil
			}
			if text := front.RefuseScripted(c.Args); text != "" {
				return errorReply(text)
			}
			return nil
		},
		Ran: func(c engine.ProbedCommand, _ engine.Value) {
			if c.Script {
				front.CountCommand()
			}
		},
	}
}

// Engine returns the engine, for what miniredis does not have: scripts from Go, snapshots, a view
// of the keyspace. It is valid until Close, and nil unless the server is started.
func (m *Miniredis) Engine() *engine.Engine {
	m.power.mu.RLock()
	defer m.power.mu.RUnlock()
	if !m.power.on {
		return nil
	}
	return m.power.e
}

// Seed makes random choices (RANDOMKEY, SPOP, SRANDMEMBER and so on) repeatable. They are others
// than those of miniredis with the same seed.
func (m *Miniredis) Seed(seed int) {
	m.power.use(func(e *engine.Engine) error { return enginedoor.Of(e).SetSource(rand.NewPCG(uint64(seed), 0)) })
}
