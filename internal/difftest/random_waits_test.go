package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waitingSessions are how many sessions take part.
const waitingSessions = 6

// waitingPeer is a server and its sessions, some of which wait.
type waitingPeer struct {
	pass  *pass
	conns []Conn
	ids   []string
	later []chan answer // nil: the session does not wait
}

func newWaitingPeer(t *testing.T, peer Peer) *waitingPeer {
	w := &waitingPeer{pass: &pass{peer: peer}, later: make([]chan answer, waitingSessions)}
	for range waitingSessions {
		c, err := peer.Open()
		require.NoError(t, err)
		w.conns = append(w.conns, c)
		w.ids = append(w.ids, ask(t, c, "CLIENT", "ID").text)
	}
	return w
}

func (w *waitingPeer) close() {
	for _, c := range w.conns {
		c.Close()
	}
	if w.pass.probe != nil {
		w.pass.probe.Close()
	}
}

// waits are the sessions that wait.
func (w *waitingPeer) waits() (which []int) {
	for i, l := range w.later {
		if l != nil {
			which = append(which, i)
		}
	}
	return which
}

// step lets session i run a command and tells all replies that came of it, its own and those of sessions that waited; @N stands for the
// id of session N.
func (w *waitingPeer) step(t *testing.T, i int, args []string) string {
	args = slices.Clone(args)
	for k, a := range args {
		if n, ok := strings.CutPrefix(a, "@"); ok {
			args[k] = w.ids[n[0]-'0']
		}
	}
	before, err := w.pass.blocked()
	require.NoError(t, err)
	own := make(chan answer, 1)
	go func() {
		raw, err := w.conns[i].Do(args)
		own <- answer{outcome{replies: [][]byte{raw}}, err}
	}()
	for {
		select {
		case a := <-own:
			require.NoError(t, a.err)
			after, err := w.pass.blocked()
			require.NoError(t, err)
			return fmt.Sprintf("%d: %q\n", i, a.out.replies[0]) + w.served(t, before-after)
		default:
		}
		n, err := w.pass.blocked()
		require.NoError(t, err)
		if n > before {
			w.later[i] = own
			return fmt.Sprintf("%d: waits\n", i)
		}
	}
}

// served collects the replies of n sessions that wait no longer.
func (w *waitingPeer) served(t *testing.T, n int) string {
	got := make([]string, waitingSessions)
	for deadline := time.Now().Add(replyTimeout); n > 0; {
		require.True(t, time.Now().Before(deadline), "%d replies do not come", n)
		for _, i := range w.waits() {
			select {
			case a := <-w.later[i]:
				require.NoError(t, a.err)
				w.later[i] = nil
				got[i] = fmt.Sprintf("%d: %q\n", i, a.out.replies[0])
				n--
			default:
			}
		}
	}
	return strings.Join(got, "")
}

// waitCommand makes a command about a few keys, which waits, makes keys ready, or takes them away.
func waitCommand(r *rand.Rand, waits []int) []string {
	key := func() string { return pick(r, []string{"a", "b", "c"}) }
	stream := func() string { return pick(r, []string{"s", "t"}) }
	end := func() string { return pick(r, []string{"LEFT", "RIGHT"}) }
	count := func() string { return pick(r, []string{"1", "2", "3"}) }
	one := func() []string {
		switch r.IntN(19) {
		case 0, 1, 2:
			return []string{pick(r, []string{"RPUSH", "LPUSH"}), key(), "1", "2", "3"}[:3+r.IntN(3)]
		case 3, 4:
			return []string{"ZADD", key(), "1", "m", "2", "n", "3", "o"}[:4+2*r.IntN(3)]
		case 5:
			return []string{"DEL", pick(r, []string{key(), stream()})}
		case 6:
			return []string{pick(r, []string{"RENAME", "RENAMENX", "COPY"}), key(), key()}
		case 7:
			return []string{pick(r, []string{"LMOVE", "BLMOVE"}), key(), key(), end(), end(), "0"}
		case 8:
			return []string{"SORT", key(), "ALPHA", "STORE", key()}
		case 9:
			return []string{"ZUNIONSTORE", key(), "1", key()}
		case 10:
			return []string{"SET", key(), "v"}
		case 11, 12:
			return []string{"XADD", stream(), "*", "f", "v"}
		case 13:
			return []string{"XGROUP", pick(r, []string{"DESTROY", "CREATE"}), stream(), "g", "$", "MKSTREAM"}
		case 14:
			return []string{"SWAPDB", "0", "1"}
		case 15:
			return []string{pick(r, []string{"LPOP", "RPOP", "ZPOPMIN"}), key()}
		case 16:
			return []string{"XTRIM", stream(), "MAXLEN", "0"}
		case 17:
			return []string{"FLUSHDB"}
		}
		if len(waits) == 0 {
			return []string{"PING"}
		}
		return []string{"CLIENT", "UNBLOCK", fmt.Sprint("@", pick(r, waits)), pick(r, []string{"TIMEOUT", "ERROR"})}
	}
	fix := func(args []string) []string {
		switch {
		case args[0] == "LMOVE":
			return args[:5]
		case args[0] == "XADD":
			args[2] = fmt.Sprint(r.IntN(1000), "-1")
		case args[0] == "XGROUP" && args[1] == "DESTROY":
			return args[:4]
		}
		return args
	}
	switch r.IntN(10) {
	case 0:
		return []string{pick(r, []string{"BLPOP", "BRPOP"}), key(), key(), "0"}
	case 1:
		return []string{"BLMPOP", "0", "2", key(), key(), end(), "COUNT", count()}
	case 2:
		return []string{pick(r, []string{"BZPOPMIN", "BZPOPMAX"}), key(), key(), "0"}
	case 3:
		return []string{"BZMPOP", "0", "2", key(), key(), "MIN", "COUNT", count()}
	case 4:
		return []string{"XREAD", "COUNT", count(), "BLOCK", "0", "STREAMS", stream(), "x", "$", "$"}
	case 5:
		return []string{"XREADGROUP", "GROUP", "g", "me", "BLOCK", "0", "STREAMS", stream(), ">"}
	case 6: // several in one step
		script := "local function c(...) redis.pcall(...) end "
		for range 1 + r.IntN(4) {
			if args := fix(one()); args[0] != "CLIENT" && args[0] != "BLMOVE" {
				script += "c('" + strings.Join(args, "','") + "') "
			}
		}
		return []string{"EVAL", script, "0"}
	}
	return fix(one())
}

// TestRandomWaits lets sessions wait for keys that others fill, and compares who was answered what by each command.
// REDMOON_SEED and REDMOON_STEPS set another seed and number of commands.
func TestRandomWaits(t *testing.T) {
	needsOracle(t)
	r := rand.New(rand.NewPCG(uint64(envInt("REDMOON_SEED", 1)), 21))
	const perRound = 60
	for range envInt("REDMOON_STEPS", 1500) / perRound {
		require.NoError(t, theRunner.Oracle.Reset())
		rm, err := NewRedmoon(time.Now())
		require.NoError(t, err)
		theirs, ours := newWaitingPeer(t, theRunner.Oracle), newWaitingPeer(t, rm)
		var log strings.Builder
		play := func(i int, args []string) {
			want := theirs.step(t, i, args)
			fmt.Fprintf(&log, "%d> %q\n%s", i, args, want)
			require.Equal(t, want, ours.step(t, i, args), log.String())
		}
		for range perRound {
			waits := theirs.waits()
			i := r.IntN(waitingSessions)
			if len(waits) == waitingSessions-1 {
				play(slices.IndexFunc(theirs.later, func(l chan answer) bool { return l == nil }), []string{"RPUSH", "a", "1", "2"})
				continue
			}
			for slices.Contains(waits, i) {
				i = r.IntN(waitingSessions)
			}
			play(i, waitCommand(r, waits))
		}
		free := slices.IndexFunc(theirs.later, func(l chan answer) bool { return l == nil })
		for _, key := range []string{"a", "b", "c", "s", "t"} {
			for _, args := range [][]string{{"TYPE", key}, {"LRANGE", key, "0", "-1"}, {"ZRANGE", key, "0", "-1", "WITHSCORES"}, {"XRANGE", key, "-", "+"}} {
				play(free, args)
			}
		}
		theirs.close()
		ours.close()
		require.NoError(t, rm.Stop())
	}
}
