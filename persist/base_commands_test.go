package persist_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/persist/internal/aof"
)

// ofEachKind makes keys of each type, small and large, in two databases.
func ofEachKind(do asker) {
	for i := range 200 {
		n := fmt.Sprint(i)
		do("RPUSH", "list:large", n)
		do("SADD", "set:large", "x"+n)
		do("ZADD", "zset:large", n+".5", "m"+n)
		do("HSET", "hash:large", "f"+n, "v"+n)
		do("XADD", "stream:large", n+"-1", "f", n, "g", n)
	}
	for _, line := range []string{
		"SET text hello", "SET number 12345", "SET expires x PXAT 4102444800000", "RPUSH list a 1 -2 b", "SADD ints 3 1 2",
		"ZADD zset 1 a 2.5 b inf c -inf d 1e300 e 3.14159265358979 f -0 g 0.1 h", "HSET hash a 1 b 2", "PFADD hll a b c",
		"SETBIT bits 100 1", "PEXPIREAT hash 4102444800001", "XADD stream 1-1 a b c d", "XADD stream 2-1 a b",
		"XADD stream 3-1 k v", "XDEL stream 3-1", "XGROUP CREATE stream g 0", "XGROUP CREATE stream g2 $",
		"XGROUP CREATECONSUMER stream g idle", "XREADGROUP GROUP g bob COUNT 1 STREAMS stream >",
		"XCLAIM stream g ann 0 1-1 TIME 1700000000000 RETRYCOUNT 7 JUSTID", "XGROUP CREATE empty g $ MKSTREAM",
		"XADD emptied 5-5 a b", "XTRIM emptied MAXLEN 0",
		"EVAL redis.call('select','3')redis.call('set','other','1')redis.call('rpush','l','x') 0",
	} {
		do(strings.Fields(line)...)
	}
	do("SET", "", "")
	do("SET", "binary\r\n\x00", strings.Repeat("\xff\r\n", 1000))
	do("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 'yes' end)")
}

// commandsOf returns the commands of a base file, in order. Commands that add the elements of one
// set, or of another type without an order, are merged, after a look at their sizes.
func commandsOf(t *testing.T, dir string) (list []string) {
	paths, err := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.base.aof"))
	require.NoError(t, err)
	require.Len(t, paths, 1)
	file, err := os.Open(paths[0])
	require.NoError(t, err)
	defer file.Close()
	r, db := aof.NewReader(file, "base", 0), ""
	elements, sizes := map[string][]string{}, map[string][]int{}
	for {
		args, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		step := map[string]int{"SADD": 1, "ZADD": 2, "HMSET": 2}[args[0]]
		switch {
		case args[0] == "SELECT":
			db = args[1]
		case step > 0:
			key := strings.Join([]string{db, args[0], args[1]}, " ")
			sizes[key] = append(sizes[key], len(args))
			for rest := args[2:]; len(rest) > 0; rest = rest[step:] {
				elements[key] = append(elements[key], strings.Join(rest[:step], " "))
			}
		default:
			list = append(list, fmt.Sprintf("%s %q", db, args))
		}
	}
	for key, of := range elements {
		slices.Sort(of)
		list = append(list, fmt.Sprintf("%s %v %q", key, sizes[key], of))
	}
	slices.SortStableFunc(list, func(a, b string) int { return strings.Compare(keyOf(a), keyOf(b)) })
	return list
}

// keyOf returns what precedes the elements of a line of commandsOf: the order of keys is by chance,
// that of the commands about one key is not.
func keyOf(line string) string {
	words := strings.Fields(line)
	if strings.Contains(line, `"XGROUP" `) {
		return words[0] + words[3]
	}
	return words[0] + words[2]
}

func untilRewritten(t *testing.T, do asker) {
	patience.Until(t, func() bool {
		text := do("INFO", "persistence").Text()
		return strings.Contains(text, "aof_rewrite_in_progress:0") && strings.Contains(text, "aof_rewrite_scheduled:0")
	})
}

// TestBaseOfCommands: with aof-use-rdb-preamble no, a base file has the commands that redis-server
// writes. Both start from it.
func TestBaseOfCommands(t *testing.T) {
	redistest.Need(t)
	server, err := redistest.Start("--appendonly", "yes", "--aof-use-rdb-preamble", "no")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	oracle := func(args ...string) engine.Value {
		v, err := server.Do(args...)
		require.NoError(t, err, "%v", args)
		return v
	}
	dir := t.TempDir()
	open := func() (*engine.Engine, asker) {
		e, err := engine.New(engine.Options{
			Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: true}), Config: map[string]string{"aof-use-rdb-preamble": "no"},
		})
		require.NoError(t, err)
		t.Cleanup(func() { _ = e.Close() })
		return e, func(args ...string) engine.Value {
			v, err := e.DoStrings(ctx, args...)
			require.NoError(t, err, "%v", args)
			return v
		}
	}
	e, ours := open()
	for _, do := range []asker{oracle, ours} {
		ofEachKind(do)
		do("BGREWRITEAOF")
		untilRewritten(t, do)
	}
	require.Equal(t, commandsOf(t, server.Dir), commandsOf(t, dir))
	digest := oracle("DEBUG", "DIGEST").Text()
	require.Equal(t, digest, ours("DEBUG", "DIGEST").Text())
	require.NoError(t, e.Close())

	_, ours = open()
	require.Equal(t, digest, ours("DEBUG", "DIGEST").Text())
	require.Equal(t, "yes", ours("FCALL", "f", "0").Text())
	require.NoError(t, e.Close())
	server.Kill()
	require.NoError(t, os.RemoveAll(filepath.Join(server.Dir, "appendonlydir")))
	require.NoError(t, os.CopyFS(filepath.Join(server.Dir, "appendonlydir"), os.DirFS(filepath.Join(dir, "appendonlydir"))))
	require.NoError(t, server.Restart())
	require.Equal(t, digest, oracle("DEBUG", "DIGEST").Text())
	require.Equal(t, "yes", oracle("FCALL", "f", "0").Text())
}

// TestBaseOfCommandsWithFieldTimes: hash fields keep their time to live.
func TestBaseOfCommandsWithFieldTimes(t *testing.T) {
	dir := t.TempDir()
	open := func() *engine.Engine {
		e, err := engine.New(engine.Options{
			Server: "8.0", Config: map[string]string{"aof-use-rdb-preamble": "no"},
			Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: true}),
		})
		require.NoError(t, err)
		t.Cleanup(func() { _ = e.Close() })
		return e
	}
	e := open()
	do(t, e, "HSET h a 1 b 2 c 3")
	do(t, e, "HPEXPIREAT h 4102444800000 FIELDS 1 b")
	do(t, e, "BGREWRITEAOF")
	untilInfo(t, e, "aof_rewrite_in_progress", "0")
	require.NoError(t, e.Close())
	v, err := open().DoStrings(ctx, strings.Fields("HPEXPIRETIME h FIELDS 3 a b c")...)
	require.NoError(t, err)
	require.Equal(t, []string{"-1", "4102444800000", "-1"}, v.Strings())
}
