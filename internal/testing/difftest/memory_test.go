package difftest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMemoryStatsFields compares the names of MEMORY STATS and their types, in order, with the
// oracle's.
func TestMemoryStatsFields(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	fields := func(c Conn, proto string) string {
		for _, args := range [][]string{{"FLUSHALL"}, {"HELLO", proto}, {"SET", "k", "v", "EX", "100"}, {"SELECT", "3"}, {"SET", "k", "v"},
			{"SELECT", "0"}} {
			_, err := c.Do(args)
			require.NoError(t, err)
		}
		var b strings.Builder
		all := ask(t, c, "MEMORY", "STATS")
		for i, n := range all.kids {
			if i%2 == 0 {
				fmt.Fprintf(&b, "%s ", n.text)
			} else if fmt.Fprintf(&b, "%c\n", n.mark); len(n.kids) > 0 {
				for j := 0; j < len(n.kids); j += 2 {
					fmt.Fprintf(&b, "  %s %c\n", n.kids[j].text, n.kids[j+1].mark)
				}
			}
		}
		return b.String()
	}
	for _, proto := range []string{"2", "3"} {
		require.Equal(t, fields(theirs, proto), fields(ours, proto))
	}
}

// TestMemoryUsage compares the estimates of MEMORY USAGE with the oracle's: between half and twice
// as much for common values. Lists keep every element as a text of its own and may take three times
// as much; an integer is a small struct here and is stored in the pointer there; short streams take
// less, since the oracle gives them a node of 4 KiB immediately.
func TestMemoryUsage(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	fill := `for i = 1, ARGV[1] do
		redis.call('hset', 'h', 'field:' .. i, 'value:' .. i)
		redis.call('sadd', 's', 'member:' .. i)
		redis.call('sadd', 'i', i * 1000)
		redis.call('zadd', 'z', i, 'member:' .. i)
		redis.call('rpush', 'l', 'element:' .. i)
		redis.call('xadd', 'x', i .. '-1', 'f', 'value:' .. i)
		redis.call('append', 't', 'some text ')
	end
	redis.call('set', 'n', 12345)`
	for _, count := range []string{"10", "1000", "20000"} {
		for _, c := range []Conn{theirs, ours} {
			ask(t, c, "FLUSHALL")
			ask(t, c, "EVAL", fill, "0", count)
		}
		for _, key := range strings.Fields("n t h s i z l x") {
			for _, samples := range []string{"5", "0"} {
				bytes := func(c Conn) float64 {
					f, err := strconv.ParseFloat(ask(t, c, "MEMORY", "USAGE", key, "SAMPLES", samples).text, 64)
					require.NoError(t, err)
					return f
				}
				low, high := 0.5, 2.0
				switch key {
				case "n":
					high = 2.5
				case "l":
					high = 3
				case "x":
					low = 0.1
				}
				want, got := bytes(theirs), bytes(ours)
				t.Logf("%s of %s, samples %s: oracle %.0f, here %.0f, ratio %.2f", key, count, samples, want, got, got/want)
				if ratio := got / want; ratio < low || ratio > high {
					t.Errorf("%s of %s, samples %s: oracle %.0f, here %.0f", key, count, samples, want, got)
				}
			}
		}
	}
}
