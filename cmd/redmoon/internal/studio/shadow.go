package studio

import (
	"context"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// shadow is a copy of an engine from before a script. The engine itself cannot be read while its
// script is stopped, so the keys that the script has changed are copied here, with DUMP and
// RESTORE, and compared with what was there.
type shadow struct {
	e      *engine.Engine
	before *engine.Snapshot
}

func newShadow(of *engine.Engine) (*shadow, error) {
	e, err := of.Fork()
	if err != nil {
		return nil, err
	}
	before, err := e.Snapshot()
	if err != nil {
		e.Close()
		return nil, err
	}
	return &shadow{e, before}, nil
}

func (s *shadow) close() {
	if s != nil {
		s.e.Close()
	}
}

// changes returns what the stopped script of d has changed in database 0. whole is false if there
// are too many keys.
func (s *shadow) changes(d *debugger.Session) (list []engine.KeyChange, whole bool, err error) {
	touched, err := d.Touched()
	if err != nil {
		return nil, false, err
	}
	if err := s.e.Restore(s.before); err != nil {
		return nil, false, err
	}
	done := map[string]bool{}
	for _, t := range touched {
		if t.DB != 0 || done[t.Key] {
			continue
		}
		if len(done) == maxElements {
			return nil, false, nil
		}
		done[t.Key] = true
		if err := s.copy(d, t.Key); err != nil {
			return nil, false, err
		}
	}
	list, err = s.e.Changes(s.before)
	return list, true, err
}

// copy copies a key of the script.
func (s *shadow) copy(d *debugger.Session, key string) error {
	value, err := d.Do("DUMP", key)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if value.IsNil() || value.IsError() {
		_, err = s.e.DoStrings(ctx, "DEL", key)
		return err
	}
	at, err := d.Do("PEXPIRETIME", key)
	if err != nil {
		return err
	}
	expires := "0"
	if n, err := at.Int(); err == nil && n > 0 {
		expires = at.Text()
	}
	_, err = s.e.DoStrings(ctx, "RESTORE", key, expires, value.Text(), "REPLACE", "ABSTTL")
	return err
}
