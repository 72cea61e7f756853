package commands_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// A command that the followed server has and Redmoon has not is not called unknown.
func TestCommandsThatRedmoonLacks(t *testing.T) {
	for _, c := range []struct{ server, command, want string }{
		{"redis-8.6", "VADD", "ERR Redmoon does not have the command VADD of redis-8.6"},
		{"redis-8.6", "vsim k", "ERR Redmoon does not have the command VSIM of redis-8.6"},
		{"redis-7.0", "VADD", "ERR unknown command 'VADD', with args beginning with: "},
		{"redis-8.6", "NOSUCH", "ERR unknown command 'NOSUCH'"},
		{"redis-8.6", "NOSUCH a", "ERR unknown command 'NOSUCH', with args beginning with: 'a' "},
		{"redis-8.6", "CLUSTER NOSUCH", "ERR unknown subcommand 'NOSUCH'. Try CLUSTER HELP."},
	} {
		e, err := engine.New(engine.Options{Server: c.server})
		require.NoError(t, err)
		words := strings.Fields(c.command)
		_, err = e.DoStrings(context.Background(), words...)
		require.EqualError(t, err, c.want)
		v, err := e.Eval(context.Background(), "return redis.pcall(unpack(cjson.decode(ARGV[1]))).err", nil,
			`["`+strings.Join(words, `","`)+`"]`)
		require.NoError(t, err)
		require.Equal(t, strings.HasPrefix(c.want, "ERR Redmoon"), c.want == v.Text(), v.Text())
		require.NoError(t, e.Close())
	}
}
