package difftest

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

// leaveUnrepeated leaves out commands that change a key of a redis-server but not of its replicas.
// Redmoon sends replicas what redis-server sends, so it is the same there.
func (seq *sequence) leaveUnrepeated() {
	seq.items = slices.DeleteFunc(seq.items, func(it *item) bool {
		for i := len(it.steps) - 1; i >= 0; i-- {
			if unrepeated(it.steps[i].Args) {
				it.steps, it.rows = slices.Delete(it.steps, i, i+1), slices.Delete(it.rows, i, i+1)
			}
		}
		return len(it.steps) == 0
	})
}

// unrepeated reports whether a command of redis-server 7.0.15 may change a key without an effect.
func unrepeated(args []string) bool {
	switch strings.ToLower(args[0]) {
	case "bitfield":
		// The string grows to the last bit that is to be written; if OVERFLOW FAIL then refuses all
		// writes, nothing counts as a change.
		return slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, "FAIL") })
	case "pfadd":
		// The first elements may change a damaged value, and the next one may need the dense encoding,
		// which refuses it: the error hides the change. One element alone changes nothing then.
		return len(args) > 3
	}
	return false
}

// TestOracleLosesItsReplica shows why campaigns leave commands out: they make a redis-server differ
// from its replica, another redis-server.
func TestOracleLosesItsReplica(t *testing.T) {
	needsOracle(t)
	master, replica := oracleOfItsOwn(t), oracleOfItsOwn(t)
	m, err := newNetPipe(master.Addr)
	require.NoError(t, err)
	defer m.Close()
	r, err := newNetPipe(replica.Addr)
	require.NoError(t, err)
	defer r.Close()
	host, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	run := func(p pipe, cmds ...[]string) string {
		raw, err := p.Run(cmds)
		require.NoError(t, err)
		return string(raw[len(raw)-1])
	}
	limit := []string{"CONFIG", "SET", "hll-sparse-max-bytes", "60"}
	run(m, []string{"CONFIG", "SET", "repl-diskless-sync-delay", "0"}, limit)
	run(r, limit, []string{"REPLICAOF", host, port})
	patience.Until(t, func() bool { return run(m, []string{"SET", "s", "8"}, []string{"WAIT", "1", "100"}) == ":1\r\n" })

	// This value ends with bytes that are not registers.
	const damaged = "\x00\xc3$6\x05HYLL\x01\x00\xe0\x00\x00\r\x80F\x01\x80m\xa5\x8cLU42754" +
		"\xe0\x00\x16\xe0\x03\x00\x03m885\n\x00\xc1\xb8]'d\xd7!\xcb"
	for _, c := range []struct {
		key  string
		cmds [][]string
	}{
		{"s", [][]string{{"BITFIELD", "s", "OVERFLOW", "FAIL", "SET", "u4", "#3", "-1072300"}}},
		{"none", [][]string{{"BITFIELD", "none", "OVERFLOW", "FAIL", "SET", "u4", "#3", "-1072300"}}},
		{"hll", [][]string{{"RESTORE", "hll", "0", damaged}, {"PFADD", "hll", "3692", "722", "4547"}}},
	} {
		require.True(t, unrepeated(c.cmds[len(c.cmds)-1]))
		run(m, c.cmds...)
		require.Equal(t, ":1\r\n", run(m, []string{"SET", "mark", "1"}, []string{"WAIT", "1", "180000"}))
		require.NotEqual(t, run(m, []string{"DUMP", c.key}), run(r, []string{"DUMP", c.key}), c.key)
	}
}
