package engine

import (
	"encoding"
	"fmt"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// Fork returns an engine of its own with all that e holds now: keys with their times and uses, scripts, functions, the configuration, users; not the clients. Its clock is e's. It goes on as
// e would: random choices are the same (where Options.Rand is a PCG or ChaCha8 of math/rand/v2, or was not set; else they are seeded from it), and so is the order of SCAN. It writes no files, and SHUTDOWN
// is an error. The price is a copy of the keyspace, in one turn of e.
// The caller closes it.
func (e *Engine) Fork() (*Engine, error) {
	var fork *Engine
	var err error
	if lerr := e.onLoop(func() { fork, err = e.fork() }); lerr != nil {
		return nil, lerr
	}
	return fork, err
}

// Fork is [Engine.Fork] with a session on the new engine that has the database, the user and the protocol of s.
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
func (e *Engine) fork() (*Engine, error) {
	o := e.options
	o.ConfigFile, o.Config, o.Fixed, o.ACLFile = nil, nil, nil, ""
	o.OnShutdown, o.ReloadTLS = nil, nil
	return newEngine(o, e.shard, e)
}

// inherit makes e, which is new, hold what from holds.
func (e *Engine) inherit(from *Engine) error {
	e.server.Inherit(from.server)
	if from.scripts.vm != nil {
		for source := range from.scripts.bySource {
			if _, errv := e.scripts.compile(nil, source); errv.IsError() {
				return fmt.Errorf("redmoon: fork: %w", errv.Err())
			}
		}
		if e.scripts.vm == nil {
			e.setVM(&e.scripts.vm, e.newVM(false))
		}
		e.scripts.vm.SetState(from.scripts.vm.State())
	}
	if from.functions.vm != nil {
		for _, name := range from.functions.names() {
			lib, err := luabridge.ParseLibrary(from.functions.libraries[name].Source)
			if err == nil {
				err = e.functions.load(lib, e.compileLimits(nil))
			}
			if err != nil {
				return fmt.Errorf("redmoon: fork: %w", err)
			}
			e.functions.add(lib)
		}
		if e.functions.vm == nil {
			e.setVM(&e.functions.vm, e.newVM(true))
		}
		e.functions.vm.SetState(from.functions.vm.State())
	}
	e.server.Store.SetSource(copySource(from.server.Store.Source()))
	return nil
}

// copySource returns a source that gives what src would give, or else one that is seeded from it.
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
