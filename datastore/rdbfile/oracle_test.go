package rdbfile_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/resp"
)

// populate fills the oracle with keys of all types and encodings, from a seed. Some expire.
const populate = `
math.randomseed(tonumber(ARGV[1]))
local rnd, call = math.random, redis.call
local function text()
	local kind = rnd(6)
	if kind == 1 then return tostring(rnd(-200, 200)) end
	if kind == 2 then return tostring(rnd(-2000000000, 2000000000)) end
	if kind == 3 then return string.rep(string.char(96 + rnd(26)), rnd(0, 90)) end
	if kind == 4 then return 'x' .. rnd(100000) end
	if kind == 5 then
		local t = {}
		for i = 1, rnd(0, 60) do t[i] = string.char(rnd(0, 255)) end
		return table.concat(t)
	end
	return string.rep('long ', rnd(1, 40))
end
for i = 1, 120 do
	call('select', rnd(0, 15))
	local key, n = 'key ' .. i, rnd(3) == 1 and rnd(1, 700) or rnd(1, 40)
	call('del', key)
	local kind = rnd(9)
	if kind == 1 then call('set', key, text())
	elseif kind == 2 then call('setrange', key, rnd(0, 5000), text() .. '.')
	elseif kind == 3 then for j = 1, n do call(rnd(2) == 1 and 'rpush' or 'lpush', key, text()) end
	elseif kind == 4 then for j = 1, n do call('sadd', key, rnd(-100000, 100000)) end
	elseif kind == 5 then for j = 1, n do call('sadd', key, text()) end
	elseif kind == 6 then for j = 1, n do call('zadd', key, rnd() * 1000 - 500, text()) end
	elseif kind == 7 then for j = 1, n do call('hset', key, text(), text()) end
	elseif kind == 8 then for j = 1, n do call('pfadd', key, text()) end
	else
		for j = 1, n do call('xadd', key, j .. '-' .. rnd(9), 'field', text(), 'other' .. rnd(3), text()) end
		if rnd(2) == 1 then call('xdel', key, (call('xrange', key, '-', '+', 'count', 1))[1][1]) end
		for g = 1, rnd(0, 2) do
			call('xgroup', 'create', key, 'g' .. g, rnd(0, 5))
			for c = 1, rnd(0, 3) do
				call('xreadgroup', 'group', 'g' .. g, 'c' .. c, 'count', rnd(0, 9) + 1, 'streams', key, '>')
			end
		end
	end
	if rnd(4) == 1 then call('pexpire', key, 1000000 + rnd(100000000)) end
end
call('select', 0)
`

// pipeline runs commands on one connection of the oracle.
func pipeline(t *testing.T, s *redistest.Server, cmds [][]string) (values []engine.Value) {
	t.Helper()
	nc, err := net.Dial("tcp", s.Addr)
	require.NoError(t, err)
	defer nc.Close()
	var b []byte
	for _, c := range cmds {
		b = resp.AppendCommand(b, c...)
	}
	_, err = nc.Write(b)
	require.NoError(t, err)
	d := resp.NewDecoder(bufio.NewReader(nc))
	for range cmds {
		v, err := d.Decode()
		require.NoError(t, err)
		require.NoError(t, v.Err())
		values = append(values, v)
	}
	return values
}

// state is what the oracle says about each key of all databases: type, encoding, expiry time,
// digest and, where the order of elements is determined, DUMP.
func state(t *testing.T, s *redistest.Server) map[string]string {
	t.Helper()
	all := map[string]string{}
	for db := range 16 {
		selected := []string{"SELECT", strconv.Itoa(db)}
		cmds := [][]string{selected}
		keys := pipeline(t, s, [][]string{selected, {"KEYS", "*"}})[1].Strings()
		for _, key := range keys {
			cmds = append(cmds, []string{"TYPE", key}, []string{"OBJECT", "ENCODING", key}, []string{"PEXPIRETIME", key},
				[]string{"DEBUG", "DIGEST-VALUE", key}, []string{"DUMP", key})
		}
		v := pipeline(t, s, cmds)[1:]
		for i, key := range keys {
			v := v[5*i:]
			dump := v[4].Text()
			if v[1].Text() == "hashtable" {
				dump = ""
			}
			all[fmt.Sprint(db, " ", key)] = fmt.Sprint(v[0].Text(), " ", v[1].Text(), " ", v[2].MustInt(), " ", v[3].Strings()[0], " ", dump)
		}
	}
	return all
}

func requireSame(t *testing.T, want, got map[string]string) {
	t.Helper()
	for key, v := range want {
		require.Equal(t, fmt.Sprintf("%q", v), fmt.Sprintf("%q", got[key]), key)
	}
	require.Len(t, got, len(want))
}

// dumpFile makes the oracle save and returns its file.
func dumpFile(t *testing.T, s *redistest.Server) []byte {
	t.Helper()
	_, err := s.Do("SAVE")
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(s.Dir, "dump.rdb"))
	require.NoError(t, err)
	return b
}

// startOn starts the oracle on a file, after redis-check-rdb has accepted it.
func startOn(t *testing.T, file []byte, args ...string) *redistest.Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ours.rdb")
	require.NoError(t, os.WriteFile(path, file, 0o644))
	out, err := exec.Command(redistest.NeedProgram(t, "redis-check-rdb"), path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "RDB looks OK")
	s, err := redistest.Start(args...)
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "dump.rdb"), file, 0o644))
	s.Kill()
	require.NoError(t, s.Restart())
	return s
}

func newStore() *datastore.Store {
	st := datastore.New(datastore.Options{})
	st.SetNow(time.Now().UnixMicro())
	return st
}

// TestFilesGoBothWays lets the oracle save random keyspaces, loads them here, saves them here, in
// one go and in steps, and lets the oracle load that: each key must be the same.
func TestFilesGoBothWays(t *testing.T) {
	redistest.Need(t)
	for seed := range 4 {
		compress := "yes"
		if seed%2 == 1 {
			compress = "no"
		}
		theirs, err := redistest.Start("--rdbcompression", compress, "--list-compress-depth", strconv.Itoa(seed%3))
		require.NoError(t, err)
		defer theirs.Stop()
		_, err = theirs.Do("EVAL", populate, "0", strconv.Itoa(seed))
		require.NoError(t, err)
		_, err = theirs.Do("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 'yes' end)")
		require.NoError(t, err)
		_, err = theirs.Do("DEBUG", "RELOAD") // which chooses encodings again
		require.NoError(t, err)
		want := state(t, theirs)
		file := dumpFile(t, theirs)

		st := newStore()
		st.Limits().ListCompressDepth = seed % 3
		var functions []string
		loaded, err := rdbfile.Load(bytes.NewReader(file), st, rdbfile.Loading{Function: func(text string) error {
			functions = append(functions, text)
			return nil
		}})
		require.NoError(t, err)
		require.NoError(t, st.Check())
		require.Equal(t, len(want), loaded.Keys)
		require.EqualValues(t, len(file), loaded.Bytes)
		require.Equal(t, rdbfile.DefaultRedisVersion, loaded.RedisVersion)
		require.Equal(t, datastore.DumpVersion, loaded.Info.Version)
		require.Len(t, functions, 1)
		requireDumps(t, st, want, compress == "yes")

		o := rdbfile.Writing{Compress: seed%2 == 0, Created: time.Unix(1_700_000_000, 0), Functions: functions}
		var once, steps bytes.Buffer
		require.NoError(t, rdbfile.Write(&once, st, o))
		img, err := rdbfile.Begin(&steps, st, o)
		require.NoError(t, err)
		for done := false; !done; {
			done, err = img.Step(4096, nil)
			require.NoError(t, err)
		}
		for _, ours := range []*bytes.Buffer{&once, &steps} {
			back := startOn(t, ours.Bytes(), "--rdbcompression", compress, "--list-compress-depth", strconv.Itoa(seed%3))
			requireSame(t, want, state(t, back))
			v, err := back.Do("FCALL", "f", "0")
			require.NoError(t, err)
			require.Equal(t, "yes", v.Text())
		}
	}
}

// requireDumps compares the keys of st with what the oracle says about its own: encoding, expiry
// time and DUMP.
func requireDumps(t *testing.T, st *datastore.Store, want map[string]string, compress bool) {
	t.Helper()
	n := 0
	for i := range st.Databases() {
		db := st.DB(i)
		db.All(func(e *datastore.Entry) bool {
			n++
			dump, at := "", int64(-1)
			if e.Object().Encoding() != "hashtable" {
				dump = string(datastore.Dump(e.Object(), datastore.DumpOptions{Compress: compress}))
			}
			if e.ExpireAt() != 0 {
				at = e.ExpireAt()
			}
			head := fmt.Sprintf("%s %s %d ", e.Object().Type(), e.Object().Encoding(), at)
			theirs := want[fmt.Sprint(i, " ", e.Key())]
			require.True(t, strings.HasPrefix(theirs, head), "%s: %.80q does not begin with %q", e.Key(), theirs, head)
			digest, theirDump, _ := strings.Cut(theirs[len(head):], " ")
			require.Equal(t, fmt.Sprintf("%x", db.DigestValue(e.Key())), digest, e.Key())
			require.Equal(t, fmt.Sprintf("%q", theirDump), fmt.Sprintf("%q", dump), e.Key())
			return true
		})
	}
	require.Equal(t, len(want), n)
}

// TestHeaderIsTheOracles compares everything before the first key with what the oracle writes.
func TestHeaderIsTheOracles(t *testing.T) {
	redistest.Need(t)
	theirs, err := redistest.Start()
	require.NoError(t, err)
	defer theirs.Stop()
	for _, policy := range []string{"noeviction", "allkeys-lru", "allkeys-lfu"} {
		_, err = theirs.Do("FLUSHALL")
		require.NoError(t, err)
		_, err = theirs.Do("CONFIG", "SET", "maxmemory-policy", policy)
		require.NoError(t, err)
		_, err = theirs.Do("EVAL", `redis.call('set', 'k', 'v', 'pxat', 4102444800000) redis.call('select', 3) redis.call('set', 'x', 1)`, "0")
		require.NoError(t, err)
		file := dumpFile(t, theirs)
		st := newStore()
		lfu := policy == "allkeys-lfu"
		st.Limits().LFU = lfu
		loaded, err := rdbfile.Load(bytes.NewReader(file), st, rdbfile.Loading{Idle: true, Freq: lfu})
		require.NoError(t, err)
		o := rdbfile.Writing{Created: loaded.Created, UsedMemory: loaded.UsedMemory, Compress: true}
		switch policy {
		case "allkeys-lru":
			o.Usage = datastore.UsageIdle
		case "allkeys-lfu":
			o.Usage = datastore.UsageFreq
		}
		var ours bytes.Buffer
		require.NoError(t, rdbfile.Write(&ours, st, o))
		require.Equal(t, fmt.Sprintf("%q", file), fmt.Sprintf("%q", ours.Bytes()), policy)
	}
}
