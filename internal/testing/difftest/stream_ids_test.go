package difftest

import (
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/stretchr/testify/require"
)

// streamIDs are words that some command accepts as a stream id, and similar ones.
var streamIDs = []string{
	"-", "+", "$", ">", "*", "(", "(-", "(+", "($", "0", "1", "2", "3", "0-0", "1-1", "2-1", "2-2", "2-*", "*-*", "*-1", "5-*", "1-", "-1",
	"+1", "(1", "(1-1", "(2-1",
	"(0-0", "1-1-1", "", " 1", "1 ", "01", "1-01", "-0", "--", "++", "-x", "+\x00", "-\x00x", "$\x00", ">\x00", "*\x00",
	"18446744073709551615",
	"18446744073709551616", "18446744073709551615-18446744073709551615", "(18446744073709551615-18446744073709551615",
	"18446744073709551615-18446744073709551616",
	"9223372036854775808-9223372036854775807", "1.0", "1e3", "0x1", "abc", "1-abc", strings.Repeat("0", 127), strings.Repeat("0", 128),
}

// streamIDCalls are the commands that take a stream id, with ID in its place.
var streamIDCalls = []string{
	"XADD s ID a b", "XADD s NOMKSTREAM ID a b", "XADD new ID a b", "XADD s MINID ID * a b", "XADD s MINID = ID 9-9 a b",
	"XADD s MINID ~ ID 9-9 a b", "XADD s MAXLEN 1 ID a b",
	"XTRIM s MINID ID", "XTRIM s MINID ~ ID",
	"XDEL s ID", "XDEL s 1-1 ID", "XACK s g ID", "XACK s g 1-1 ID", "XACK none g ID",
	"XRANGE s ID +", "XRANGE s - ID", "XRANGE s ID ID", "XRANGE none ID +", "XREVRANGE s ID -", "XREVRANGE s + ID",
	"XREAD STREAMS s ID", "XREAD STREAMS s none 0 ID", "XREAD COUNT 1 STREAMS none ID", "XREADGROUP GROUP g c STREAMS s ID",
	"XREADGROUP GROUP g c NOACK STREAMS s ID",
	"XREADGROUP GROUP none c STREAMS s ID", "XREADGROUP GROUP g c STREAMS s none > ID",
	"XGROUP CREATE s new ID", "XGROUP CREATE new g ID MKSTREAM", "XGROUP CREATE none g ID", "XGROUP SETID s g ID", "XGROUP SETID s none ID",
	"XGROUP SETID none g ID",
	"XGROUP SETID s g ID ENTRIESREAD 1", "XGROUP CREATE s new ID ENTRIESREAD 1",
	"XSETID s ID", "XSETID none ID", "XSETID s 9-9 ENTRIESADDED 9 MAXDELETEDID ID", "XSETID s ID ENTRIESADDED 9 MAXDELETEDID 1-1",
	"XPENDING s g ID + 10", "XPENDING s g - ID 10", "XPENDING s g ID ID 10 c", "XPENDING s g IDLE 0 ID + 10",
	"XCLAIM s g d 0 ID", "XCLAIM s g d 0 1-1 ID", "XCLAIM s g d 0 1-1 LASTID ID", "XCLAIM s g d 0 ID FORCE", "XAUTOCLAIM s g d 0 ID",
	"XAUTOCLAIM s g d 0 ID COUNT 1 JUSTID",
	"EVAL return{redis.pcall('xread','streams','s',ARGV[1])} 0 ID",
}

// TestEveryStreamIDInEveryPlace calls each command that takes a stream id with each word, and
// compares the reply and the resulting stream.
func TestEveryStreamIDInEveryPlace(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	oracle, err := newNetPipe(theRunner.Oracle.Addr)
	require.NoError(t, err)
	defer oracle.Close()
	for _, call := range streamIDCalls {
		var cmds [][]string
		var shown []int
		for _, id := range streamIDs {
			for _, line := range []string{"FLUSHALL", "XADD s 1-1 a 1", "XADD s 2-1 a 2", "XADD s 3-1 a 3", "XGROUP CREATE s g 0",
				"XREADGROUP GROUP g c COUNT 2 STREAMS s >"} {
				cmds = append(cmds, strings.Fields(line))
			}
			args := strings.Fields(call)
			for i, a := range args {
				if a == "ID" {
					args[i] = id
				}
			}
			shown = append(shown, len(cmds))
			cmds = append(cmds, args, []string{"XRANGE", "s", "-", "+"}, []string{"XLEN", "s"}, []string{"XINFO", "GROUPS", "s"},
				[]string{"XINFO", "GROUPS", "new"}, []string{"EXISTS", "new"})
		}
		ours, stop, err := newRedmoonPipe(engine.Options{}, Present(), true)
		require.NoError(t, err)
		got, err := ours.Run(cmds)
		require.NoError(t, err)
		want, err := oracle.Run(cmds)
		require.NoError(t, err)
		for i, at := range shown {
			id := streamIDs[i]
			fresh := strings.Contains(id, "*") && strings.HasPrefix(call, "XADD") || strings.Contains(call, "*") // an id made from the time
			for j := at; j < at+6; j++ {
				relax := Relax{}
				if strings.HasPrefix(call, "XPENDING") && j == at {
					relax.Approx = nearMillis
				}
				if fresh {
					relax.Kind = true
				}
				if !relax.Equal(want[j], got[j]) {
					t.Errorf("%q, then %q\n\toracle  %.300q\n\tredmoon %.300q", cmds[at], cmds[j], want[j], got[j])
					break
				}
			}
		}
		ours.Close()
		require.NoError(t, stop())
	}
}
