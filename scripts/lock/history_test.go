package lock_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

type opKind uint8

const (
	opAcquire opKind = iota
	opRenew
	opRelease
	opWrite // of a register, with the lease's token
	opJump  // of the server's clock
)

// operation is the input of one call, with the times in which it took effect.
type operation struct {
	kind      opKind
	lease     string
	token     int64
	jump      time.Duration // from now on
	now       time.Duration
	call, end time.Duration
	turn      int // of an acquisition: its token's place among all of the history
}

// result is what a call answered: whether it did what it was to do, and the token of an
// acquisition.
type result struct {
	ok    bool
	token int64
}

// held is the state of the models: who has the lock, the last token, and the last that has written.
type held struct {
	lease          string // "": nobody
	turn           int    // of the last acquisition
	token, written int64
	now            time.Duration // jumpModel
	until          time.Duration // when the lock is free at the earliest
	latest         time.Duration // timedModel: and at the latest
}

const historyTTL = 100 * time.Millisecond

// jumpModel is a lock on a clock that only jumps: all that happens is known exactly.
func jumpModel() porcupine.Model {
	return model(func(s held, in operation) held {
		s.now += in.jump
		if s.now > s.until { // in its last millisecond a key is still there
			s.lease = ""
		}
		return s
	}, func(s *held, _ operation) { s.until = s.now + historyTTL }, func(held, operation) bool { return false }, false)
}

// timedModel is a lock on a real clock: it may be free from until on, and must be from latest on.
func timedModel(fair bool) porcupine.Model {
	return model(func(s held, in operation) held {
		if in.call > s.latest {
			s.lease = ""
		}
		return s
	}, func(s *held, in operation) {
		const slack = 5 * time.Millisecond // the server counts whole milliseconds
		s.until, s.latest = max(s.until, in.call+historyTTL-slack), max(s.latest, in.end+historyTTL+slack)
	}, func(s held, in operation) bool { return in.end >= s.until }, fair)
}

// model is a lock with fencing tokens. pass lets the time of an operation come, take sets until
// when the lock is held, and mayEnd says whether it may be free although it need not. A fair one
// also refuses while it is free and others wait.
func model(pass func(held, operation) held, take func(*held, operation), mayEnd func(held, operation) bool, fair bool) porcupine.Model {
	return porcupine.Model{
		Partition: func(ops []porcupine.Operation) [][]porcupine.Operation { // the lock and the register are things apart
			parts := make([][]porcupine.Operation, 2)
			for _, o := range ops {
				i := 0
				if o.Input.(operation).kind == opWrite {
					i = 1
				}
				parts[i] = append(parts[i], o)
			}
			return parts
		},
		Init: func() any { return held{} },
		Step: func(state, input, output any) (bool, any) {
			in, out := input.(operation), output.(result)
			s := pass(state.(held), in)
			free := s.lease == ""
			switch in.kind {
			case opJump:
				return in.now == s.now-in.jump, s
			case opAcquire:
				if !out.ok {
					return !free || fair, s
				}
				if !(free || mayEnd(s, in)) || out.token <= s.token || in.turn != s.turn+1 {
					return false, s
				}
				s.lease, s.turn, s.token, s.until, s.latest = in.lease, in.turn, out.token, 0, 0
				take(&s, in)
			case opRenew:
				if !out.ok {
					return s.lease != in.lease || mayEnd(s, in), s
				}
				if s.lease != in.lease {
					return false, s
				}
				take(&s, in)
			case opRelease:
				if !out.ok {
					return s.lease != in.lease || mayEnd(s, in), s
				}
				if s.lease != in.lease {
					return false, s
				}
				s.lease = ""
			case opWrite:
				if out.ok != (in.token >= s.written) {
					return false, s
				}
				s.written = max(s.written, in.token)
			}
			return true, s
		},
	}
}

// player is one client of a history.
type player struct {
	engine.Client // see RunScript
	number        int
	rng           *rand.Rand
	lock          *lock.Lock
	reg           *lock.Register
	clock         *engine.VirtualClock // what it moves now and then; nil: none
	jumps         *sync.Mutex
	wait          time.Duration
	start         time.Time
	last          span        // of the last answer to a script that tried to acquire
	lease         *lock.Lease // its last one, for better or worse
	has           bool        // it has neither released nor forgotten it
	ops           []porcupine.Operation
}

// play makes the next call.
func (p *player) play() error {
	ctx := context.Background()
	if p.clock != nil && p.rng.IntN(15) == 0 {
		in := operation{kind: opJump, jump: time.Duration(p.rng.IntN(40)) * time.Millisecond}
		if p.rng.IntN(4) == 0 {
			in.jump += historyTTL
		}
		return p.record(in, func(in *operation) (result, error) {
			p.jumps.Lock()
			defer p.jumps.Unlock()
			in.now = p.clock.Now().Sub(clockStart)
			p.clock.Sleep(in.jump) // one step, without the timers on the way
			return result{ok: true}, nil
		})
	}
	if p.lease != nil {
		in := operation{kind: opWrite, lease: p.lease.ID(), token: p.lease.Token()}
		switch p.rng.IntN(6) {
		case 0, 1: // also long after it has lost the lock
			return p.record(in, func(*operation) (result, error) {
				return outcome(p.reg.Write(ctx, in.token, in.lease), lock.ErrStale)
			})
		case 2:
			if p.has && p.lease.Err() == nil {
				in.kind = opRenew
				return p.record(in, func(*operation) (result, error) { return outcome(p.lease.Renew(ctx), lock.ErrNotHeld) })
			}
		case 3:
			if p.has {
				p.has = false
				return p.release(p.lease)
			}
		case 4:
			if p.has { // it stalls, and finds out late that its time is over
				old := p.lease
				if err := p.acquire(); err != nil {
					return err
				}
				p.has = p.lease != old
				return p.release(old)
			}
		case 5:
			p.has = false // it crashes, and comes back without knowing
		}
	}
	if p.has {
		return nil
	}
	return p.acquire()
}

func (p *player) acquire() error {
	return p.record(operation{kind: opAcquire}, func(in *operation) (result, error) {
		lease, err := p.lock.TryAcquire(context.Background(), p.wait)
		if err != nil {
			return outcome(err, lock.ErrNotAcquired)
		}
		p.lease, p.has, in.lease = lease, true, lease.ID()
		return result{ok: true, token: lease.Token()}, nil
	})
}

func (p *player) release(lease *lock.Lease) error {
	return p.record(operation{kind: opRelease, lease: lease.ID()}, func(*operation) (result, error) {
		_, err := lease.Release(context.Background())
		return outcome(err, lock.ErrNotHeld)
	})
}

func outcome(err, no error) (result, error) {
	if err != nil && !errors.Is(err, no) {
		return result{}, err
	}
	return result{ok: err == nil}, nil
}

func (p *player) record(in operation, f func(*operation) (result, error)) error {
	p.last = span{}
	in.call = time.Since(p.start)
	out, err := f(&in)
	in.end = time.Since(p.start)
	if in.kind == opAcquire { // what it waited before that does not matter
		in.call, in.end = p.last.from, p.last.to
		// A wait may end before the first answer. Refusals change nothing, and the search for an order
		// doubles with each.
		if !out.ok && (p.last == span{} || p.rng.IntN(10) != 0) {
			return err
		}
	}
	p.ops = append(p.ops, porcupine.Operation{ClientId: p.number, Input: in, Output: out, Call: int64(in.call), Return: int64(in.end)})
	return err
}

// span is a stretch of time, since the start of the history.
type span struct{ from, to time.Duration }

// RunScript notes when the lock of the player was asked for.
func (p *player) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	from := time.Since(p.start)
	v, err := p.Client.RunScript(ctx, s, keys, args)
	if s == lock.AcquireScript() && err == nil {
		p.last = span{from, time.Since(p.start)}
	}
	return v, err
}

// players are the clients of a lock on c.
func players(t *testing.T, n int, seed uint64, c engine.Client, clock *engine.VirtualClock, o lock.Options, wait time.Duration) []*player {
	t.Helper()
	reg, err := lock.NewRegister(c, "guarded")
	require.NoError(t, err)
	start, jumps := time.Now(), &sync.Mutex{}
	list := make([]*player, n)
	for i := range list {
		p := &player{Client: c, number: i, rng: rand.New(rand.NewPCG(seed, uint64(i))), reg: reg, clock: clock, jumps: jumps, wait: wait,
			start: start}
		p.lock = newLock(t, p, o)
		list[i] = p
	}
	return list
}

// together lets the players play at the same time, each the given number of steps, and returns what
// happened.
func together(t *testing.T, list []*player, steps int) []porcupine.Operation {
	t.Helper()
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for i, p := range list {
		wg.Go(func() {
			for range steps {
				if errs[i] = p.play(); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	return history(list)
}

func history(list []*player) []porcupine.Operation {
	var ops []porcupine.Operation
	for _, p := range list {
		ops = append(ops, p.ops...)
	}
	// Tokens show in which order the lock was taken: that spares trying others, and what is taken with
	// an equal token has no place in it.
	var tokens []int64
	for _, o := range ops {
		if in, out := o.Input.(operation), o.Output.(result); in.kind == opAcquire && out.ok {
			tokens = append(tokens, out.token)
		}
	}
	slices.Sort(tokens)
	for i, o := range ops {
		in := o.Input.(operation)
		if out := o.Output.(result); in.kind == opAcquire && out.ok {
			place, _ := slices.BinarySearch(tokens, out.token)
			in.turn = place + 1
			ops[i].Input = in
		}
	}
	return ops
}

// onJumps are the options of a lock whose server's clock jumps, while the holders' stand: they
// never notice that their time is over.
func onJumps() lock.Options {
	return lock.Options{TTL: historyTTL, Jitter: -1, Clock: engine.NewVirtualClock(time.Unix(0, 0))}
}

// onServers are the options of a lock on a server, whose holders do not notice either.
func onServers() lock.Options {
	return lock.Options{TTL: historyTTL, Jitter: -1, RetryMax: 30 * time.Millisecond, Clock: standing{keep.RealClock{}}}
}

// standing is the machine's clock for timers; its time does not change.
type standing struct{ keep.RealClock }

func (standing) Now() time.Time { return clockStart }

const checkLimit = patience.Limit // a history that cannot be judged within it fails the test

func count(ops []porcupine.Operation, kind opKind, ok bool) (n int) {
	for _, o := range ops {
		if o.Input.(operation).kind == kind && o.Output.(result).ok == ok {
			n++
		}
	}
	return n
}

func TestHistoriesWithClockJumpsAreThoseOfALock(t *testing.T) {
	counts := map[opKind][2]int{}
	for seed := range uint64(10) {
		e, clock := newEngine(t)
		ops := together(t, players(t, 50, seed, e, clock, onJumps(), 0), 40)
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(jumpModel(), ops, checkLimit), "seed %d", seed)
		for kind := opAcquire; kind <= opWrite; kind++ {
			c := counts[kind]
			counts[kind] = [2]int{c[0] + count(ops, kind, true), c[1] + count(ops, kind, false)}
		}
	}
	t.Logf("done and refused: %v", counts)
	for kind, c := range counts {
		require.Positive(t, min(c[0], c[1]), "operation %d", kind)
	}
}

func TestHistoriesOnServersAreThoseOfALock(t *testing.T) {
	for name, place := range map[string]func(testing.TB) everywhere.Place{"redis-server": everywhere.Server,
		"redis cluster": everywhere.Cluster} {
		t.Run(name, func(t *testing.T) {
			for _, fair := range []bool{false, true} {
				p := place(t)
				o := onServers()
				o.Fair = fair
				ops := together(t, players(t, 50, 1, p, nil, o, historyTTL), 25)
				require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(timedModel(fair), ops, checkLimit), "fair: %v", fair)
				require.Positive(t, count(ops, opAcquire, true))
				require.Positive(t, count(ops, opRelease, false), "some lose it")
				require.Positive(t, count(ops, opWrite, false))
			}
		})
	}
}

// broken runs a script of its own in place of one, or of all on registers.
type broken struct {
	engine.Client
	script *engine.Script // nil: of registers
	by     string
}

func (b broken) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	if s == b.script || b.script == nil && len(keys) == 1 && s != lock.RenewScript() {
		s = engine.NewScript(b.by)
	}
	return b.Client.RunScript(ctx, s, keys, args)
}

func TestTheCheckerRejectsABrokenLock(t *testing.T) {
	alone := func(t *testing.T, c engine.Client, clock *engine.VirtualClock) porcupine.CheckResult {
		list := players(t, 4, 1, c, clock, onJumps(), 0)
		for i := range 2000 { // one at a time: the same each time
			require.NoError(t, list[i%len(list)].play())
		}
		return porcupine.CheckOperationsTimeout(jumpModel(), history(list), checkLimit)
	}
	e, clock := newEngine(t)
	require.Equal(t, porcupine.Ok, alone(t, e, clock), "it accepts the sound one")
	for name, b := range map[string]broken{
		"release by anybody": {script: lock.ReleaseScript(), by: `redis.call('DEL', KEYS[1]) return {'released', ''}`},
		"release of a lost lease": {script: lock.ReleaseScript(), by: `
			if redis.call('HGET', KEYS[1], 'owner') == ARGV[2] then redis.call('DEL', KEYS[1]) end
			return {'released', ''}`},
		"acquire of a held lock": {script: lock.AcquireScript(), by: `
			local token = redis.call('HINCRBY', KEYS[2], 'token', 1)
			redis.call('HSET', KEYS[1], 'owner', ARGV[2], 'token', token, 'lease:' .. ARGV[1], 1)
			return {'acquired', token, 1}`},
		"tokens that begin anew": {script: lock.AcquireScript(), by: `
			if redis.call('EXISTS', KEYS[1]) == 1 then return {'refused', 0, 0} end
			redis.call('HSET', KEYS[1], 'owner', ARGV[2], 'token', 1, 'lease:' .. ARGV[1], 1)
			redis.call('PEXPIRE', KEYS[1], ARGV[3])
			return {'acquired', 1, 1}`},
		"a lock without end": {script: lock.AcquireScript(), by: `
			if redis.call('EXISTS', KEYS[1]) == 1 then return {'refused', 0, 0} end
			local token = redis.call('HINCRBY', KEYS[2], 'token', 1)
			redis.call('HSET', KEYS[1], 'owner', ARGV[2], 'token', token, 'lease:' .. ARGV[1], 1)
			return {'acquired', token, 1}`},
		"renewal of a lost lease":   {script: lock.RenewScript(), by: `return {'renewed'}`},
		"writes that nobody guards": {by: `return {'written'}`},
	} {
		t.Run(name, func(t *testing.T) {
			e, clock := newEngine(t)
			b.Client = e
			require.Equal(t, porcupine.Illegal, alone(t, b, clock))
		})
	}
}
