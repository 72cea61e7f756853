package difftest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/stretchr/testify/require"
)

// doer is the subject of a history: an engine, a session, or a wrapper that breaks one.
type doer interface {
	Do(ctx context.Context, args ...any) (engine.Value, error)
	RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error)
}

type opKind uint8

const (
	opGet opKind = iota
	opSet
	opIncr
	opCompareAndSet // EVAL
	opMove          // EVAL on two keys: adds arg, which is not 0, to key and takes it from other
)

// operation is the input of one call.
type operation struct {
	kind       opKind
	key, other string
	arg, old   int
}

var (
	compareAndSet = engine.NewScript(`
if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('set', KEYS[1], ARGV[2])
  return 1
end
return 0`)
	move = engine.NewScript(`
local a = redis.call('incrby', KEYS[1], ARGV[1])
local b = redis.call('incrby', KEYS[2], -ARGV[1])
return {a, b}`)
)

// run performs the call and returns what was answered, as text.
func (o operation) run(d doer) (string, error) {
	ctx := context.Background()
	var v engine.Value
	var err error
	switch o.kind {
	case opGet:
		v, err = d.Do(ctx, "GET", o.key)
	case opSet:
		v, err = d.Do(ctx, "SET", o.key, o.arg)
	case opIncr:
		v, err = d.Do(ctx, "INCR", o.key)
	case opCompareAndSet:
		v, err = d.RunScript(ctx, compareAndSet, []string{o.key}, []string{strconv.Itoa(o.old), strconv.Itoa(o.arg)})
	case opMove:
		v, err = d.RunScript(ctx, move, []string{o.key, o.other}, []string{strconv.Itoa(o.arg)})
	}
	if v.Kind() == engine.KindArray {
		return fmt.Sprint(v.Strings()), err
	}
	return v.Text(), err
}

// keyspace is the state of the model: two counters and whether they were ever written.
type keyspace struct{ a, b register }

type register struct {
	n   int
	set bool
}

func (r register) text() string {
	if !r.set {
		return ""
	}
	return strconv.Itoa(r.n)
}

func (k *keyspace) of(key string) *register {
	if key == "a" {
		return &k.a
	}
	return &k.b
}

// apply runs o on the model and returns the right answer.
func (k keyspace) apply(o operation) (keyspace, string) {
	r := k.of(o.key)
	switch o.kind {
	case opSet:
		*r = register{o.arg, true}
		return k, "OK"
	case opIncr:
		*r = register{r.n + 1, true}
	case opCompareAndSet:
		if r.text() != strconv.Itoa(o.old) {
			return k, "0"
		}
		*r = register{o.arg, true}
		return k, "1"
	case opMove:
		*r = register{r.n + o.arg, true}
		other := k.of(o.other)
		*other = register{other.n - o.arg, true}
		return k, fmt.Sprint([]string{r.text(), other.text()})
	}
	return k, r.text()
}

func model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return keyspace{} },
		Step: func(state, input, output any) (bool, any) {
			next, want := state.(keyspace).apply(input.(operation))
			return want == output.(string), next
		},
	}
}

const historyClients = 16

// history lets 16 goroutines call at the same time, each on a doer of its own from open, and
// returns what happened. Its time is a counter: an operation that ended before another began has
// the smaller number.
func history(t *testing.T, seed uint64, calls int, open func(client int) doer, pick func(*rand.Rand) operation) []porcupine.Operation {
	t.Helper()
	var clock atomic.Int64
	var wg sync.WaitGroup
	parts := make([][]porcupine.Operation, historyClients)
	errs := make([]error, historyClients)
	start := make(chan struct{})
	for client := range historyClients {
		d := open(client)
		rng := rand.New(rand.NewPCG(seed, uint64(client)))
		wg.Go(func() {
			<-start
			for range calls {
				in := pick(rng)
				call := clock.Add(1)
				out, err := in.run(d)
				if err != nil {
					errs[client] = err
					return
				}
				parts[client] = append(parts[client], porcupine.Operation{
					ClientId: client, Input: in, Call: call, Output: out, Return: clock.Add(1),
				})
			}
		})
	}
	close(start)
	wg.Wait()
	var all []porcupine.Operation
	for client, part := range parts {
		require.NoError(t, errs[client])
		all = append(all, part...)
	}
	return all
}

func anyOperation(rng *rand.Rand) operation {
	o := operation{kind: opKind(rng.IntN(int(opMove) + 1)), key: "a", other: "b", arg: 1 + rng.IntN(4), old: rng.IntN(6)}
	if rng.IntN(2) == 0 {
		o.key, o.other = "b", "a"
	}
	return o
}

const checkLimit = patience.Limit // a history that cannot be judged within it fails the test

func TestConcurrentHistoriesAreLinearizable(t *testing.T) {
	for seed := range uint64(10) {
		e := newEngine(t)
		ops := history(t, seed, 25, func(client int) doer {
			if client%2 == 0 {
				return e
			}
			s, err := e.NewSession()
			require.NoError(t, err)
			return s
		}, anyOperation)
		result := porcupine.CheckOperationsTimeout(model(), ops, checkLimit)
		require.Equal(t, porcupine.Ok, result, "seed %d", seed)
		require.NoError(t, e.Check(context.Background()))
	}
}

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// staleReads answers every GET of a key with what the first one saw.
type staleReads struct {
	doer
	mu   sync.Mutex
	seen map[any]engine.Value
}

func (s *staleReads) Do(ctx context.Context, args ...any) (engine.Value, error) {
	if args[0] != "GET" {
		return s.doer.Do(ctx, args...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.seen[args[1]]; ok {
		return v, nil
	}
	v, err := s.doer.Do(ctx, args...)
	s.seen[args[1]] = v
	return v, err
}

// splitIncr runs INCR as a read and a write of its own. The first one writes only after a second
// one has read, so one of the two is always lost.
type splitIncr struct {
	doer
	reads      atomic.Int32
	secondRead chan struct{}
}

func (s *splitIncr) Do(ctx context.Context, args ...any) (engine.Value, error) {
	if args[0] != "INCR" {
		return s.doer.Do(ctx, args...)
	}
	v, err := s.doer.Do(ctx, "GET", args[1])
	if err != nil {
		return v, err
	}
	switch s.reads.Add(1) {
	case 1:
		<-s.secondRead
	case 2:
		close(s.secondRead)
	}
	n, err := v.Int()
	if err != nil && !errors.Is(err, reply.ErrNil) { // a missing key counts as 0
		return v, err
	}
	if _, err := s.doer.Do(ctx, "SET", args[1], n+1); err != nil {
		return v, err
	}
	return reply.Int(n + 1), nil
}

func TestTheCheckerRejectsABrokenEngine(t *testing.T) {
	t.Run("stale reads", func(t *testing.T) {
		broken := &staleReads{doer: newEngine(t), seen: map[any]engine.Value{}}
		ops := history(t, 1, 10, func(int) doer { return broken }, anyOperation)
		require.Equal(t, porcupine.Illegal, porcupine.CheckOperationsTimeout(model(), ops, checkLimit))
	})
	t.Run("split INCR", func(t *testing.T) {
		broken := &splitIncr{doer: newEngine(t), secondRead: make(chan struct{})}
		ops := history(t, 1, 5, func(int) doer { return broken }, func(*rand.Rand) operation {
			return operation{kind: opIncr, key: "a"}
		})
		require.Equal(t, porcupine.Illegal, porcupine.CheckOperationsTimeout(model(), ops, checkLimit))
	})
}
