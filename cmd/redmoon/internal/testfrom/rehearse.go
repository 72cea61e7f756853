package testfrom

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
)

// settings are the properties of the engine of the test.
type settings struct {
	server  string
	cluster bool
	config  map[string]string
}

// rehearse runs the calls on an engine as the test has it, and decides which replies are compared.
func rehearse(
	ctx context.Context, calls []*call, h *recording.Header, data string,
) (settings, error) {
	s := settings{server: replay.ServerOf(h.Server), cluster: h.Cluster}
	clock := engine.NewVirtualClock(calls[0].At)
	const seed = 1 // as tests have it
	e, err := engine.New(engine.Options{
		Clock: clock, Rand: rand.NewPCG(seed, seed), Server: s.server, Cluster: s.cluster,
	})
	if err != nil {
		return s, err
	}
	defer e.Close()
	s.config = differingConfig(ctx, e, h.Config)
	if data != "" {
		if _, err := e.LoadRDBFile(ctx, data, engine.LoadOptions{}); err != nil {
			return s, err
		}
	}
	r := rehearsal{e: e}
	if err := r.connect(ctx); err != nil {
		return s, err
	}
	for _, c := range calls {
		clock.Set(c.At)
		if err := r.run(ctx, c); err != nil {
			return s, err
		}
	}
	return s, nil
}

// differingConfig sets the recorded parameters and returns those that are not the default.
func differingConfig(
	ctx context.Context, e *engine.Engine, recorded map[string]string,
) map[string]string {
	config := map[string]string{}
	for name, value := range recorded {
		if name == "databases" || !recording.Decides(name) {
			continue
		}
		v, err := e.Do(ctx, "CONFIG", "GET", name)
		if err != nil || v.Len() != 2 || v.Strings()[1] == value {
			continue
		}
		if v, err = e.Do(ctx, "CONFIG", "SET", name, value); err == nil && !v.IsError() {
			config[name] = value
		}
	}
	return config
}

// rehearsal is the session in which the calls run.
type rehearsal struct {
	e    *engine.Engine
	sess *engine.Session
	db   int
}

func (r *rehearsal) connect(ctx context.Context) (err error) {
	if r.sess, err = r.e.NewSession(); err != nil {
		return err
	}
	_, err = r.sess.Do(ctx, "SELECT", r.db)
	return err
}

// callTimeout is how long a call may take.
const callTimeout = time.Minute

// run runs a call.
func (r *rehearsal) run(ctx context.Context, c *call) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if c.DB != r.db {
		v, err := r.sess.DoStrings(ctx, "SELECT", strconv.Itoa(c.DB))
		if v.IsError() {
			c.leaveOut, c.note = true, "a test has no database "+strconv.Itoa(c.DB)
			return nil
		}
		if err != nil {
			return err
		}
		r.db = c.DB
	}
	if c.script == nil && len(c.words()) > maxUnpacked {
		c.leaveOut, c.note = true, "it has too many arguments for a call in Lua"
		return nil
	}
	b := enginedoor.Batch{Commands: [][]string{c.words()}, StopAtBlock: true}
	err := enginedoor.Of(r.sess).RunBatch(ctx, &b)
	switch {
	case err != nil:
		return err
	case b.Blocked:
		c.leaveOut, c.note = true, "it would wait"
		return errors.Join(r.sess.Close(), r.connect(ctx))
	case len(b.Replies) != 1:
		c.leaveOut, c.note = true, "it has no reply"
		return nil
	}
	c.judge(inRESP2(b.Replies[0]))
	return nil
}
