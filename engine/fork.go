package engine

import (
	"encoding"
	"fmt"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// Fork returns a new engine with everything that e holds now: keys with their times and access
// data, scripts, functions, the configuration and users, but no clients. It has the clock of e. The
// same commands have the same replies on the fork as on e, also from SCAN. Random choices are the
// same too if Options.Rand is a PCG or ChaCha8 of math/rand/v2 or was not set; otherwise the fork
// has a PCG that is seeded from the source of e. The fork writes no files, and SHUTDOWN returns an
// error.
//
// Fork copies the keyspace in one step of e; other calls wait meanwhile. The caller must close the
// new engine. The error is [ErrClosed], [ErrReentrant], or that of a script or library that does
// not compile within the limits.
func (e *Engine) Fork() (*Engine, error) { return e.ForkWithClock(nil) }

// ForkWithClock is Fork with another clock; nil: that of e. Keys expire at the same times as those
// of e, by that clock.
func (e *Engine) ForkWithClock(clock Clock) (*Engine, error) {
	var fork *Engine
	var err error
	if lerr := e.onLoop(func() { fork, err = e.fork(clock) }); lerr != nil {
		return nil, lerr
	}
	return fork, err
}

// Fork is [Engine.Fork]. The returned session of the new engine has the database, the user and the
// protocol of s.
func (s *Session) Fork() (*Engine, *Session, error) {
	fork, err := s.e.Fork()
	if err != nil {
		return nil, nil, err
	}
	sess, err := fork.NewSession()
	if err == nil {
		err = s.e.onLoop(func() {
			from := s.s
			err = fork.onLoop(func() { fork.server.InheritSession(sess.s, from) })
		})
	}
	if err != nil {
		_ = fork.Close()
		return nil, nil, err
	}
	return fork, sess, nil
}

// fork is Fork on the loop.
func (e *Engine) fork(clock Clock) (*Engine, error) {
	o := e.options
	if clock != nil {
		o.Clock = clock
	}
	o.ConfigFile, o.Config, o.Fixed, o.ACLFile = nil, nil, nil, ""
	o.OnShutdown, o.ApplyConfig = nil, nil
	return newEngine(o, e.shard, e)
}

// inherit copies the content of from into e, which is new.
func (e *Engine) inherit(from *Engine) error {
	e.server.Inherit(from.server)
	if from.scripts.vm != nil {
		for source := range from.scripts.bySource {
			if _, errv := e.scripts.compile(nil, source); errv.IsError() {
				return fmt.Errorf("redmoon: fork: %w", errv.Err())
			}
		}
		if e.scripts.vm == nil {
			e.scripts.vm = e.newVM(false)
		}
		e.scripts.vm.SetState(from.scripts.vm.State())
	}
	if from.functions.vm != nil {
		for _, name := range from.functions.names() {
			lib, err := luabridge.ParseLibraryOf(from.functions.libraries[name].Source, e.firstLine())
			if err == nil {
				err = e.functions.load(lib, e.compileLimits(nil))
			}
			if err != nil {
				return fmt.Errorf("redmoon: fork: %w", err)
			}
			e.functions.add(lib)
		}
		if e.functions.vm == nil {
			e.functions.vm = e.newVM(true)
		}
		e.functions.vm.SetState(from.functions.vm.State())
	}
	e.server.Store.SetSource(copySource(from.server.Store.Source()))
	return nil
}

// copySource returns a source that produces the same numbers as src, or else one that is seeded
// from it.
func copySource(src rand.Source) rand.Source {
	var c interface {
		rand.Source
		encoding.BinaryUnmarshaler
	}
	switch src.(type) {
	case *rand.PCG:
		c = &rand.PCG{}
	case *rand.ChaCha8:
		c = &rand.ChaCha8{}
	default:
		return rand.NewPCG(src.Uint64(), src.Uint64())
	}
	state, err := src.(encoding.BinaryMarshaler).MarshalBinary()
	if err == nil {
		err = c.UnmarshalBinary(state)
	}
	if err != nil {
		panic("redmoon: fork: " + err.Error()) // neither of the two fails
	}
	return c
}
