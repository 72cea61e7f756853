package difftest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRepliesOfRedictAreThoseOfRedis(t *testing.T) {
	for raw, want := range map[string]string{
		"+OK\r\n":                "+OK\r\n",
		"-ERR a Redict text\r\n": "-ERR a Redis text\r\n",
		"$6\r\nredict\r\n":       "$5\r\nredis\r\n",
		"*3\r\n$12\r\nsyslog-ident\r\n$6\r\nredict\r\n:1\r\n": "*3\r\n$12\r\nsyslog-ident\r\n$5\r\nredis\r\n:1\r\n",
		"*2\r\n$-1\r\n$11\r\na\r\nRedict\r\n\r\n":             "*2\r\n$-1\r\n$10\r\na\r\nRedis\r\n\r\n",
		"=10\r\ntxt:redict\r\n":                               "=9\r\ntxt:redis\r\n",
	} {
		require.Equal(t, want, string(asRedis([]byte(raw))), raw)
	}
}
