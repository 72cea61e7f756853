package lint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

func TestServersOfScripts(t *testing.T) {
	for _, c := range []struct {
		script  string
		servers []string
		want    []string // rule and message
	}{
		{"return redis.call('DELEX', KEYS[1])", []string{"redis-7.0", "valkey-9.1", "redis-8.6"},
			[]string{"not-on-server: DELEX does not exist on redis-7.0 and valkey-9.1; redis has it since 8.4.0"}},
		{"return redis.call('DELEX', KEYS[1])", []string{"redis-8.4"}, nil},
		{"return redis.call('SET', KEYS[1], 'v', 'IFEQ', 'w')", []string{"redis-8.6", "redis-7.0", "valkey-8.0"},
			[]string{"not-on-server: SET does not take this on redis-7.0 and valkey-8.0"}},
		{"return redis.call('SET', KEYS[1], 'v', 'IFEQ', 'w')", []string{"redis-8.6", "valkey-8.1"}, nil},
		{"return redis.call('BLPOP', KEYS[1], 0)", []string{"redis-7.2", "redis-7.0"},
			[]string{"not-on-server: BLPOP is refused to scripts on redis-7.0"}},
		{"return redis.call('BLPOP', KEYS[1], 0)", []string{"redis-7.0"},
			[]string{"refused-command: BLPOP waits, so Redis refuses it to scripts"}},
		{"return redis.call('SCRIPT', 'SHOW', 'x')", []string{"redis-8.6"},
			[]string{"not-on-server: SCRIPT SHOW does not exist on redis-8.6; valkey has it since 8.0.0",
				"refused-command: Redis refuses SCRIPT SHOW to scripts"}},
		{"return redis.call('GTE', KEYS[1])", []string{"redis-8.6"}, []string{"unknown-command: Redis has no command GTE"}},
		{"return redis.call('DELIFEQ', KEYS[1], 'v')", nil,
			[]string{"unknown-command: Redis has no command DELIFEQ; valkey has it since 9.0.0"}},
		{"return redis.call('DELEX', KEYS[1])", nil, []string{"newer-command: DELEX exists since Redis 8.4.0; the script is for 7.0"}},
		{"local a = redis.call('TIME')\nlocal b = redis.call('TIME')\nreturn {a, b}", []string{"redis-7.0", "redis-7.2"},
			[]string{"differs-on-server: this TIME is the first one again on redis-7.2, and a later one on redis-7.0"}},
		{"local a = redis.call('TIME')\nlocal b = redis.call('TIME')\nreturn {a, b}", []string{"redis-7.2", "valkey-9.1"}, nil},
		{"return redis.call('GET', 'a')", []string{"redis-7.0", "cluster"},
			[]string{"undeclared-key: the key 'a' of GET is a constant; pass it in KEYS"}},
		{"return redis.call('GET', 'a')", []string{"elasticache-serverless"},
			[]string{"script-without-keys: the script uses no KEYS, and each call must have some",
				"undeclared-key: the key 'a' of GET is a constant; pass it in KEYS"}},
	} {
		l, err := lint.New(lint.Config{Servers: c.servers})
		require.NoError(t, err)
		var got []string
		for _, f := range l.Lint(lint.Script{Source: c.script}) {
			got = append(got, f.Rule+": "+f.Message)
		}
		require.Equal(t, c.want, got, "%s on %v", c.script, c.servers)
	}
}

// A place makes rules about keys stricter.
func TestServicesAreStricter(t *testing.T) {
	for servers, want := range map[string]lint.Severity{"redis-8.6": lint.Warning, "dragonfly": lint.Error} {
		l, err := lint.New(lint.Config{Servers: []string{servers}})
		require.NoError(t, err)
		require.Equal(t, want, l.Lint(lint.Script{Source: "return redis.call('GET', 'a')"})[0].Severity, servers)
	}
	_, err := lint.New(lint.Config{Servers: []string{"redis-6"}})
	require.EqualError(t, err, `server "redis-6": known are redis-7.0, redis-7.2, redis-7.4, redis-8.0, redis-8.2, redis-8.4, redis-8.6, `+
		"valkey-7.2, valkey-8.0, valkey-8.1, valkey-9.0 and valkey-9.1, and cluster, dragonfly, elasticache-serverless and all")
}
