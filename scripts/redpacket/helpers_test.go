package redpacket_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

var fromZoe = redpacket.Options{Sender: "zoe"}

func activity(t testing.TB, c engine.Client, name string, o ...redpacket.Options) *redpacket.Activity {
	t.Helper()
	a, err := redpacket.New(c, name, append(o, redpacket.Options{})[0])
	require.NoError(t, err)
	return a
}

// packets divides a total into packets whose ids begin with prefix.
func packets(t testing.TB, prefix string, total int64, count int, s redpacket.Strategy) []redpacket.Packet {
	t.Helper()
	amounts, err := redpacket.Split(total, count, s, nil)
	require.NoError(t, err)
	list := make([]redpacket.Packet, count)
	for i, amount := range amounts {
		list[i] = redpacket.Packet{ID: fmt.Sprint(prefix, i), Amount: amount}
	}
	return list
}

// ledger is what is stored of an activity, read by plain commands.
type ledger struct {
	left    map[string]int64            // packets in the list
	records []redpacket.Record          // the list of records
	settled map[string]redpacket.Record // the settlement stream, by idempotency key
}

func readLedger(t testing.TB, c engine.Client, a *redpacket.Activity) ledger {
	t.Helper()
	ctx := context.Background()
	keys := a.Keys()
	// One step, so that other goroutines do not come in between.
	v,
		err := engine.NewScript(`return {redis.call('LRANGE', KEYS[2], 0, -1), redis.call('LRANGE', KEYS[3], 0, -1), redis.call('XRANGE', `+
		`KEYS[5], '-', '+')}`).
		Run(ctx, c, keys)
	require.NoError(t, err)
	l := ledger{left: map[string]int64{}, settled: map[string]redpacket.Record{}}
	parts := v.Slice()
	for _, text := range parts[0].Strings() {
		_, packet, _ := strings.Cut(text, " ")
		cents, id, _ := strings.Cut(packet, " ")
		amount, err := strconv.ParseInt(cents, 10, 64)
		if err != nil || l.left[id] != 0 {
			t.Fatalf("packet %q: %v", text, err)
		}
		l.left[id] = amount
	}
	for _, text := range parts[1].Strings() {
		var r redpacket.Record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		l.records = append(l.records, r)
	}
	for _, entry := range parts[2].Slice() {
		fields := entry.Slice()[1].Strings()
		var r redpacket.Record
		if len(fields) != 4 || fields[0] != "id" || fields[2] != "payload" || json.Unmarshal([]byte(fields[3]), &r) != nil || r.ID != fields[1] {
			t.Fatalf("a message %q", fields)
		}
		if _, ok := l.settled[r.ID]; ok {
			t.Fatalf("two messages of the idempotency key %s", r.ID)
		}
		l.settled[r.ID] = r
	}
	return l
}

// checkMoney checks that given, left and refunded money is the total; that each packet is in one
// place, each user has one; and that settlement gets what was given and refunded.
func checkMoney(t testing.TB, c engine.Client, a *redpacket.Activity, opened []redpacket.Packet, sender string) ledger {
	t.Helper()
	l := readLedger(t, c, a)
	prepared := map[string]int64{}
	var total, given, left, refunded int64
	for _, p := range opened {
		prepared[p.ID] = p.Amount
		total += p.Amount
	}
	users := map[string]bool{}
	for _, r := range l.records {
		switch {
		case prepared[r.ID] != r.Amount: // as of a second record: what has one is deleted
			t.Fatalf("%+v was not prepared so", r)
		case l.left[r.ID] != 0:
			t.Fatalf("%+v is left as well", r)
		case users[r.User]:
			t.Fatalf("user %s twice", r.User)
		case l.settled[r.ID] != r:
			t.Fatalf("%+v is to be settled as %+v", r, l.settled[r.ID])
		}
		users[r.User] = true
		delete(prepared, r.ID)
		given += r.Amount
	}
	for id, amount := range l.left {
		if prepared[id] != amount {
			t.Fatalf("packet %s of %d cents is left, prepared with %d", id, amount, prepared[id])
		}
		left += amount
	}
	entries := len(l.records)
	if r, ok := l.settled[a.RefundID()]; ok {
		entries++
		refunded = r.Amount
		require.Equal(t, redpacket.Record{Packet: r.Packet, User: sender, Refund: true}, r)
		require.Positive(t, refunded)
		require.Empty(t, l.left)
	}
	require.Len(t, l.settled, entries)
	require.Equal(t, total, given+left+refunded)
	return l
}

var errLost = errors.New("the connection was lost")

// flaky is a client whose calls fail at random, before or after they are carried out.
type flaky struct {
	engine.Client
	mu   sync.Mutex
	rnd  *rand.Rand
	fail int // in a hundred

	scripts int // carried out before all fail; 0: no limit
}

func (f *flaky) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	f.mu.Lock()
	before, after := f.rnd.IntN(100) < f.fail/2, f.rnd.IntN(100) < f.fail/2
	if f.scripts > 0 {
		if f.scripts--; f.scripts == 0 {
			f.fail, after = 200, true // this one is carried out, but nobody learns of it
		}
	}
	f.mu.Unlock()
	if before {
		return engine.Value{}, errLost
	}
	v, err := f.Client.RunScript(ctx, s, keys, args)
	if after {
		return engine.Value{}, errLost
	}
	return v, err
}

// dump is what the keys hold, by what is visible: a stream's internals do not count.
func dump(t testing.TB, c engine.Client, keys []string) []string {
	t.Helper()
	var list []string
	for _, key := range keys {
		v, err := engine.NewScript(`
			local kind = redis.call('TYPE', KEYS[1]).ok
			if kind == 'stream' then return {kind, cjson.encode(redis.call('XRANGE', KEYS[1], '-', '+'))} end
			return {kind, redis.call('DUMP', KEYS[1])}`).Run(context.Background(), c, []string{key})
		require.NoError(t, err)
		list = append(list, v.Slice()[0].Text(), v.Slice()[1].Text())
	}
	return list
}
