package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// inspected runs redmoon inspect and returns the exit code and what it printed.
func inspected(args ...string) (code int, out, errors string) {
	var o, e bytes.Buffer
	std := &streams{out: &o, err: &e, interruptible: context.Background()}
	code = std.main(append([]string{"inspect"}, args...))
	return code, o.String(), e.String()
}

// inspectedJSON is what the test reads of the JSON form.
type inspectedJSON struct {
	Damage   []struct{ Offset int64 }
	Keyspace struct {
		Keys, Elements, Expires int64
		Databases               []struct{ DB, Keys int64 }
		Kinds                   []struct {
			Type, Encoding string
			Keys           int64
		}
		Biggest   []struct{ Key, Type string }
		Functions []struct{ Name string }
	}
	Commands struct {
		Count, Transactions int64
		Names               []struct {
			Name  string
			Count int64
		}
	}
}

// The oracle writes the files, and the figures must be those of its keys.
func TestInspectReadsFilesOfTheOracle(t *testing.T) {
	redistest.Need(t)
	s, err := redistest.Start("--appendonly", "yes", "--aof-use-rdb-preamble", "yes")
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	call := func(words ...string) {
		t.Helper()
		_, err := s.Do(words...)
		require.NoError(t, err)
	}
	call("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")
	fill := `for i = 1, 1000 do
		redis.call('rpush', 'big:list', 'element ' .. i)
		redis.call('zadd', 'big:zset', i, i)
		redis.call('sadd', 'ints', i)
	end
	for i = 1, 50 do redis.call('hset', 'user:' .. i, 'name', 'ann') redis.call('expire', 'user:' .. i, 1000 * i) end
	redis.call('xadd', 's', '1-1', 'f', 'v')
	redis.call('select', 5)
	redis.call('set', 'text', 'x')`
	call("EVAL", fill, "0")
	call("SAVE")
	dump := filepath.Join(s.Dir, "dump.rdb")

	code, out, errs := inspected(dump, "--json")
	require.Zero(t, code, errs)
	var r inspectedJSON
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, int64(55), r.Keyspace.Keys)
	require.Equal(t, int64(3000+50+1), r.Keyspace.Elements)
	require.Equal(t, int64(50), r.Keyspace.Expires)
	require.Len(t, r.Keyspace.Databases, 2)
	require.Len(t, r.Keyspace.Functions, 1)
	byType := map[string]int64{}
	for _, k := range r.Keyspace.Kinds {
		byType[k.Type] += k.Keys
	}
	require.Equal(t, map[string]int64{"list": 1, "zset": 1, "set": 1, "hash": 50, "stream": 1, "string": 1}, byType)
	require.Equal(t, "big:zset", r.Keyspace.Biggest[0].Key)

	code, out, errs = inspected(filepath.Join(s.Dir, "appendonlydir"), "--json")
	require.Zero(t, code, errs)
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Empty(t, r.Damage)
	require.Equal(t, int64(1), r.Commands.Transactions, "the effects of the script")
	counts := map[string]int64{}
	for _, c := range r.Commands.Names {
		counts[c.Name] = c.Count
	}
	require.Equal(t, int64(1000), counts["rpush"])
	require.Equal(t, int64(50), counts["pexpireat"])

	// What changed, and a damaged file.
	before := filepath.Join(t.TempDir(), "before.rdb")
	b, err := os.ReadFile(dump)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(before, b, 0o600))
	call("DEL", "user:7")
	call("HSET", "user:8", "name", "bob")
	call("PERSIST", "user:9")
	call("SAVE")
	code, out, _ = inspected(before, "--diff", dump)
	require.Zero(t, code)
	require.Contains(t, out, "0 keys added (0 B), 1 removed")
	require.Contains(t, out, ", 2 changed, 52 the same\n")
	require.Contains(t, out, "  expiry differs: 1 keys\n")

	require.NoError(t, os.WriteFile(before, b[:len(b)-20], 0o600))
	code, out, errs = inspected(before, "--json")
	require.Equal(t, 1, code)
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Len(t, r.Damage, 1)
	require.LessOrEqual(t, r.Damage[0].Offset, int64(len(b)-20))
	require.Contains(t, errs, before+": truncated at offset "+strconv.FormatInt(r.Damage[0].Offset, 10))
	code, _, _ = inspected(before + ".none")
	require.Equal(t, 2, code)
}
