package difftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestACLLog compares the entries of ACL LOG, except their times and the parts of the client's
// description that belong to its connection.
func TestACLLog(t *testing.T) {
	needsOracle(t)
	steps := []struct {
		user string
		line string
	}{
		{"", "ACL SETUSER u on >p +@all -lpush -config|get ~a &ch"},
		{"u", "AUTH u wrong"}, {"u", "AUTH u p"}, {"u", "GET b"}, {"u", "get b"}, {"u", "SET b x"}, {"u", "LPUSH a x"}, {"u", "CONFIG GET x"},
		{"u", "PUBLISH c x"}, {"u", "PSUBSCRIBE ch c"}, {"u", "MGET a b c"}, {"u", "MULTI"}, {"u", "GET b"}, {"u", "AUTH u p"}, {"u", "EXEC"},
		{"u", "GET b"}, {"u", "EVAL return#redis.pcall('get','b') 0"}, {"u", "EVAL return#redis.pcall('lpush','b','x') 0"},
		{"u", "EVAL return#redis.pcall('publish','b','x') 0"}, {"u", "EVAL return#redis.acl_check_cmd('get','b') 0"}, {"u", "EVAL return#1 1 b"},
		{"u", "SELECT 3"}, {"u", "HELLO 3 AUTH nobody x SETNAME me"}, {"u", "hello 2 auth u p setname me"}, {"u", "COPY b a"},
		{"u", "Auth default2 x"},
		{"u", "MULTI"}, {"u", "GET a"}, {"u", "AUTH u wrong"}, {"", "ACL SETUSER u -get"}, {"u", "EXEC"}, {"u", "ACL DRYRUN u get b"},
		{"", "ACL SETUSER u -exec -discard"}, {"u", "EXEC"}, {"u", "MULTI"}, {"u", "EXEC"}, {"u", "SORT a GET x"},
		{"u", "GET 1"}, {"u", "LPUSH a x"}, {"u", "LPUSH a x"}, {"u", "CONFIG GET x"},
	}
	log := func(peer Peer, args ...string) (lines []string) {
		conns := map[string]Conn{}
		for _, name := range []string{"", "u"} {
			c, err := peer.Open()
			require.NoError(t, err)
			defer c.Close()
			conns[name] = c
		}
		for _, s := range steps {
			words := strings.Fields(s.line)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "#", " ")
			}
			raw, err := conns[s.user].Do(words)
			require.NoError(t, err)
			if !strings.HasPrefix(strings.ToLower(s.line), "hello") {
				lines = append(lines, s.line+": "+string(raw))
			}
		}
		for _, entry := range ask(t, conns[""], append([]string{"ACL", "LOG"}, args...)...).kids {
			var b strings.Builder
			for i := 0; i+1 < len(entry.kids); i += 2 {
				name, value := entry.kids[i].text, entry.kids[i+1].text
				switch name {
				case "age-seconds":
					value = ""
				case "client-info":
					value = clientFields(value)
				}
				fmt.Fprintf(&b, "%s=%s ", name, value)
			}
			lines = append(lines, b.String())
		}
		return lines
	}
	for _, count := range [][]string{{"100"}, nil, {"3"}, {"-1"}} {
		require.NoError(t, theRunner.Oracle.Reset())
		fresh, err := newRedmoonServer("", Present())
		require.NoError(t, err)
		require.Equal(t, log(theRunner.Oracle, count...), log(fresh, count...))
		require.NoError(t, fresh.stop())
	}
}

// clientFields keeps the fields of a client that are equal on both servers.
func clientFields(info string) string {
	var out []string
	for _, f := range strings.Fields(info) {
		switch name, _, _ := strings.Cut(f, "="); name {
		case "name", "flags", "db", "sub", "psub", "ssub", "multi", "cmd", "user", "resp":
			out = append(out, f)
		}
	}
	return strings.Join(out, " ")
}
