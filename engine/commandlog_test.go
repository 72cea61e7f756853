package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// What a script calls counts as the request of the script until Valkey 9.1, and has replies of its
// own since then.
func TestSizesOfWhatScriptsCall(t *testing.T) {
	for server, want := range map[string]struct{ requests, replies []string }{
		"valkey-8.1": {requests: []string{"EVAL 98", "get 98", "set 98"}, replies: []string{"EVAL 308"}},
		"valkey-9.1": {requests: []string{"EVAL 98"}, replies: []string{"EVAL 308", "get 308"}},
	} {
		e, err := engine.New(engine.Options{Server: server})
		require.NoError(t, err)
		defer e.Close()
		sess, err := e.NewSession()
		require.NoError(t, err)
		defer sess.Close()
		do := func(args ...any) engine.Value {
			v, err := sess.Do(t.Context(), args...)
			require.NoError(t, err)
			require.NoError(t, v.Err())
			return v
		}
		entries := func(typ string) (list []string) {
			for _, entry := range do("COMMANDLOG", "GET", "-1", typ).Slice() {
				fields := entry.Slice()
				list = append(list, fields[3].Slice()[0].Text()+" "+fields[2].Text())
			}
			return list
		}
		do("CONFIG", "SET", "commandlog-request-larger-than", "90", "commandlog-reply-larger-than", "90")
		do("COMMANDLOG", "RESET", "large-request")
		do("EVAL", "redis.call('set','k',string.rep('x',300)) return redis.call('get','k')", "0")
		require.Equal(t, want.requests, entries("large-request"), server)
		replies := entries("large-reply")
		require.Equal(t, want.replies, replies[1:], server) // the first is that of the other log
	}
}
