package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// Some servers count a key or field whose new expiry time is past as expired; those of Valkey
// delete a key that SET gives such a time.
func TestTimesThatArePast(t *testing.T) {
	counters := func(do func(...any) engine.Value) map[string]string {
		found := map[string]string{}
		for line := range strings.Lines(do("INFO", "stats").Text()) {
			if name, n, _ := strings.Cut(strings.TrimSpace(line), ":"); strings.HasPrefix(name, "expired_") && n != "0" && n != "0.00" {
				found[name] = n
			}
		}
		return found
	}
	for server, want := range map[string][]map[string]string{ // after RESTORE, PEXPIREAT, SET, HEXPIREAT
		"redis-8.0":  {{}, {}, nil, {"expired_subkeys": "2"}},
		"redis-8.6":  {{"expired_keys": "1"}, {"expired_keys": "1"}, nil, {"expired_keys": "1", "expired_subkeys": "2"}},
		"valkey-8.0": {{}, {}, {}, nil},
		"valkey-8.1": {{}, {"expired_keys": "1"}, {"expired_keys": "2"}, nil},
		"valkey-9.1": {{}, {"expired_keys": "1"}, {"expired_keys": "2"}, {"expired_keys": "2", "expired_fields": "2"}},
	} {
		t.Run(server, func(t *testing.T) {
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
			do("SET", "k", "v")
			do("RESTORE", "other", "1", do("DUMP", "k").Text(), "ABSTTL")
			require.Equal(t, want[0], counters(do))
			do("PEXPIREAT", "k", "1")
			require.Equal(t, want[1], counters(do))
			if want[2] != nil {
				do("SET", "k", "v", "PXAT", "1") // nothing to delete
				do("SET", "k", "v")
				require.Equal(t, "v", do("SET", "k", "v", "PXAT", "1", "GET").Text())
				require.Equal(t, want[2], counters(do))
			}
			if want[3] != nil {
				do("HSET", "h", "a", "1", "b", "2", "c", "3")
				do("HEXPIREAT", "h", "1", "FIELDS", "3", "a", "b", "none")
				require.Equal(t, want[3], counters(do))
			}
		})
	}
}
