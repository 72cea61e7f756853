package difftest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlowlog compares what SLOWLOG keeps of every command with the oracle: ids, arguments, names.
func TestSlowlog(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	defer func() { require.NoError(t, theRunner.Oracle.Reset()) }()
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	many := append([]string{"RPUSH", "l"}, strings.Fields(strings.Repeat("x ", 40))...)
	commands := [][]string{
		{"SLOWLOG", "RESET"}, {"CONFIG", "SET", "slowlog-log-slower-than", "0"}, {"CLIENT", "SETNAME", "me"}, {"get", "k"}, {"GET"}, {"NOSUCH"},
		{"SET", "k", strings.Repeat("v", 128)}, {"SET", "k", strings.Repeat("v", 129)}, {"SET", strings.Repeat("k", 300), ""}, many, many[:32],
		many[:33],
		{"EVAL", "redis.call('set', 'a', 1) return 1", "0"}, {"MULTI"}, {"INCR", "n"}, {"CONFIG", "GET", "hz"}, {"EXEC"},
		{"AUTH", "p"}, {"AUTH", "u", "p"}, {"HELLO", "2", "AUTH", "default", "p", "SETNAME", "x"}, {"HELLO", "2", "SETNAME", "y"},
		{"CONFIG", "SET", "masterauth", "secret", "hz", "10"}, {"CONFIG", "SET", "Masteruser", "secret"}, {"CONFIG", "SET", "masteruser", ""},
		{"CONFIG", "SET", "tls-key-file-pass", "x"}, {"ACL", "SETUSER", "u", ">x", "+get"}, {"ACL", "GETUSER", "u"}, {"ACL", "DELUSER", "u"},
		{"CONFIG", "SET", "requirepass", ""},
		{"LPUSH", "k", "wrong type"}, {"CLIENT", "REPLY", "ON"}, {"CLIENT", "NOSUCH"}, {"SLOWLOG", "LEN"}, {"COMMAND", "COUNT"}, {"PING"},
	}
	log := func(c Conn) (out []string) {
		for _, entry := range ask(t, c, "SLOWLOG", "GET", "-1").kids {
			id, args, name := entry.kids[0], entry.kids[3], entry.kids[5]
			line := id.text + " " + name.text
			if entry.kids[4].text == "?:0" {
				line += " of a script:"
			}
			for _, a := range args.kids {
				line += " " + a.text
			}
			out = append(out, line)
		}
		return out
	}
	for _, c := range []Conn{theirs, ours} {
		for _, args := range commands {
			_, err := c.Do(args)
			require.NoError(t, err)
		}
	}
	strip := func(lines []string) (out []string) {
		for _, l := range lines {
			_, rest, _ := strings.Cut(l, " ")
			out = append(out, rest)
		}
		return out
	}
	require.Equal(t, strip(log(theirs)), strip(log(ours)))
	for _, c := range []Conn{theirs, ours} {
		ask(t, c, "CONFIG", "SET", "slowlog-max-len", "3")
		ask(t, c, "PING")
	}
	require.Equal(t, strip(log(theirs)), strip(log(ours)))
	require.Len(t, log(ours), 3)
	require.Len(t, ask(t, ours, "SLOWLOG", "GET", "2").kids, 2)
	for _, c := range []Conn{theirs, ours} {
		ask(t, c, "CONFIG", "SET", "slowlog-log-slower-than", "20000")
		ask(t, c, "SLOWLOG", "RESET")
		ask(t, c, "DEBUG", "SLEEP", "0")
		ask(t, c, "DEBUG", "SLEEP", "0.03")
	}
	require.Len(t, log(ours), 1)
	require.Subset(t, strip(log(theirs)), strip(log(ours))) // any other command may be slow on a busy machine
	require.Equal(t, "30000", ask(t, ours, "SLOWLOG", "GET").kids[0].kids[2].text)
	for _, c := range []Conn{theirs, ours} {
		ask(t, c, "CONFIG", "SET", "slowlog-log-slower-than", "-1")
		ask(t, c, "SLOWLOG", "RESET")
		ask(t, c, "DEBUG", "SLEEP", "0.03")
		require.Empty(t, log(c))
	}
}
