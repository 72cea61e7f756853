package difftest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/resp"
)

// drawRequests makes the bytes of some random requests, good and bad, in and out of transactions.
func drawRequests(rng *rand.Rand) string {
	var b []byte
	for range 1 + rng.IntN(6) {
		value := strings.Repeat("v", []int{0, 1, 10, 1000, 16380, 16384, 20000, 40000, 70000}[rng.IntN(9)])
		args := [][]string{
			{"MULTI"}, {"MULTI"}, {"EXEC"}, {"DISCARD"}, {"SET", "k", value}, {"SET", "k", value}, {"GET", "k"}, {"nosuch", value}, {"SET", "k"},
			{"MSET", "a", value, "b", "1", "c", value}, {"WATCH", "k", "a"}, {"ECHO", value}, {"INCR", "n"},
		}[rng.IntN(13)]
		if rng.IntN(6) == 0 && len(value) < 20000 {
			b = append(b, strings.Join(args, " ")...)
			b = append(b, '\n')
			continue
		}
		b = resp.AppendCommand(b, args...)
	}
	return string(b)
}

// TestRandomClientMemory cuts the bytes of random requests anywhere and compares, at each cut, what
// CLIENT LIST reports about unprocessed input, received arguments, and the queue. REDMOON_SEED=n
// and REDMOON_STEPS=n play others.
func TestRandomClientMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(tier.Seed(), 31))
	addrs := []string{oracleWith(t).Addr, serve(t, engine.Options{}, resp.Options{})}
	var look, it [2]*NetConn
	for i, addr := range addrs {
		look[i], it[i] = dialTo(t, addr), dialTo(t, addr)
		ask(t, it[i], "CLIENT", "SETNAME", "it")
		go io.Copy(io.Discard, it[i].c) // ends with the connection
	}
	answer := func(i int) string {
		f := memoryFields(t, look[i], "it")
		require.NotNil(t, f, "it has been disconnected")
		return fmt.Sprint(f["qbuf"], " ", f["argv-mem"], " ", f["multi-mem"], " ", f["multi"])
	}
	wire, sent := "", ""
	for step := range tier.Number("REDMOON_STEPS", 100, 300) {
		if wire == "" {
			wire, sent = drawRequests(rng), ""
		}
		n := len(wire)
		if rng.IntN(4) > 0 {
			n = 1 + rng.IntN(len(wire))
		}
		sent += wire[:n]
		for i := range it {
			require.NoError(t, it[i].Send(wire[:n]))
		}
		wire = wire[n:]
		until(t, fmt.Sprintf("step %d, after %.300q", step, sent), func() bool { // they may not have read it all yet
			theirs := answer(0)
			return theirs == answer(1) && theirs == answer(0)
		})
	}
}
