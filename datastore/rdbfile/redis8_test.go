package rdbfile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// digests returns type, expiry time and digest of each key in what state returned. Redis 8 has
// encodings that Redmoon lacks.
func digests(state map[string]string) map[string]string {
	all := map[string]string{}
	for key, v := range state {
		f := strings.SplitN(v, " ", 5)
		all[key] = fmt.Sprint(f[0], " ", f[2], " ", f[3])
	}
	return all
}

// TestFilesOfRedis8 loads a file of redis-server 8.0, with fields that expire, and lets it load
// ours.
func TestFilesOfRedis8(t *testing.T) {
	bin := redistest.NeedLater(t)
	for seed := range 3 {
		s, err := redistest.StartBinary(bin)
		require.NoError(t, err)
		defer s.Stop()
		_, err = s.Do("EVAL", populate, "0", strconv.Itoa(seed))
		require.NoError(t, err)
		const timed = `
for k = 1, 4 do
	local n = k % 2 == 0 and 700 or 20
	for i = 1, n do
		redis.call('hset', 'timed' .. k, 'f' .. i, 'v' .. i)
		if k > 2 or i % 3 == 0 then redis.call('hpexpireat', 'timed' .. k, 4102444800000 + i % 7, 'fields', 1, 'f' .. i) end
	end
end`
		_, err = s.Do("EVAL", timed, "0")
		require.NoError(t, err)
		want := digests(state(t, s))
		file := dumpFile(t, s)
		_, err = rdbfile.Load(bytes.NewReader(file), newStore(), rdbfile.Loading{})
		require.ErrorIs(t, err, datastore.ErrFileVersion)

		st := newStore()
		loaded, err := rdbfile.Load(bytes.NewReader(file), st, rdbfile.Loading{Reading: rdbfile.Reading{Version: 12}})
		require.NoError(t, err)
		require.NoError(t, st.Check())
		require.Equal(t, len(want), loaded.Keys)
		at, ok := hash(t, st, "timed3").FieldExpireAt("f2")
		require.True(t, ok)
		require.EqualValues(t, 4102444800002, at)

		var ours bytes.Buffer
		require.NoError(t, rdbfile.Write(&ours, st, rdbfile.Writing{Version: 12}))
		back, err := redistest.StartBinary(bin)
		require.NoError(t, err)
		defer back.Stop()
		require.NoError(t, os.WriteFile(filepath.Join(back.Dir, "dump.rdb"), ours.Bytes(), 0o644))
		back.Kill()
		require.NoError(t, back.Restart())
		require.Equal(t, want, digests(state(t, back)))
		for _, key := range []string{"timed1", "timed2", "timed3", "timed4"} {
			ask := []string{"HPEXPIRETIME", key, "FIELDS", "3", "f1", "f2", "f3"}
			a, err := s.Do(ask...)
			require.NoError(t, err)
			b, err := back.Do(ask...)
			require.NoError(t, err)
			require.Equal(t, a.String(), b.String())
		}
	}
}

func hash(t *testing.T, st *datastore.Store, key string) *datastore.Hash {
	h, err := st.DB(0).Hash(key)
	require.NoError(t, err)
	require.NotNil(t, h)
	return h
}
