package testfrom_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/testfrom"
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
	"github.com/redmoon-lua/redmoon/resp"
)

// started is the time at which the recordings begin.
var started = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// turn is a request of a connection, or with reply only a late reply.
type turn struct {
	conn       int64
	line, raw  string
	replyLater bool
}

// record writes a recording.
func record(t *testing.T, h recording.Header, turns ...turn) string {
	var file bytes.Buffer
	now := time.Duration(0)
	h.Started, h.Server = started, "7.0.15"
	w, err := recording.NewWriter(&file, h, recording.WriterOptions{
		Elapsed: func() time.Duration { now += time.Millisecond; return now },
	})
	require.NoError(t, err)
	n := map[int64]int64{}
	for _, u := range turns {
		if n[u.conn] == 0 {
			w.Open(u.conn, fmt.Sprint("127.0.0.1:", 1000+u.conn))
		}
		if u.line != "" {
			words, ok := resp.SplitWords(u.line)
			require.True(t, ok, u.line)
			var args []recording.Arg
			for _, word := range words {
				args = append(args, recording.Arg{Text: word})
			}
			n[u.conn]++
			w.Request(u.conn, n[u.conn], args, false)
		}
		if !u.replyLater {
			w.Reply(u.conn, n[u.conn], []byte(u.raw+"\r\n"), false, nil)
		}
	}
	require.NoError(t, w.Finish(recording.Interrupted))
	path := filepath.Join(t.TempDir(), "session.rec")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	return path
}

// on is a list of commands of connection 1, each with its reply.
func on(words ...string) (turns []turn) {
	for i := 0; i < len(words); i += 2 {
		turns = append(turns, turn{conn: 1, line: words[i], raw: words[i+1]})
	}
	return turns
}

func shaOf(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

func write(t *testing.T, path string, o testfrom.Options) (*testfrom.Result, error) {
	src, err := recording.OpenFile(path)
	require.NoError(t, err)
	defer src.Close()
	o.Recording = path
	return testfrom.Write(context.Background(), src, o)
}

// results is a reporter that keeps the problems.
type results struct{ problems []string }

func (r *results) File(f luatest.FileResult) {
	for _, test := range f.Results {
		for _, p := range test.Problems {
			r.problems = append(r.problems, fmt.Sprintf("%s %+v", p.Message, p.Failure))
		}
	}
}

func (*results) End(luatest.Summary) {}

// runs runs a test file and returns its problems.
func runs(t *testing.T, path string) []string {
	r := &results{}
	s, err := luatest.Run(context.Background(), []string{path}, &luatest.Options{Timeout: time.Minute, Server: "7.0"}, r)
	require.NoError(t, err)
	require.Equal(t, 1, s.Counts.Tests())
	if s.Counts.Bad() > 0 && len(r.problems) == 0 {
		r.problems = append(r.problems, "the test failed")
	}
	return r.problems
}

func TestATestOfASessionPasses(t *testing.T) {
	const incr = `return redis.call('INCR', KEYS[1])`
	const fails = `redis.call('SET', KEYS[1], 'x') return redis.call('INCR', KEYS[1])`
	failure := "-ERR value is not an integer or out of range script: " + shaOf(fails) + ", on @user_script:1."
	turns := on(
		"SET k v PX 3", "+OK", "GET k", "$1\r\nv", "PING", "+PONG", "EXISTS k", ":0",
		`SET bin "\x00\xff'\\\n"`, "+OK", "GET bin", "$5\r\n\x00\xff'\\\n",
		"INCRBY big 9007199254740993", ":9007199254740993",
		"SADD s a b c", ":3", "SMEMBERS s", "*3\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\na", "SPOP s", "$1\r\nb", "SCARD s", ":2",
		"HSET h a 1 b 2", ":2", "HGETALL h", "*4\r\n$1\r\nb\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\n1",
		"LPUSH s x", "-WRONGTYPE Operation against a key holding the wrong kind of value",
		"NOSUCH", "-ERR unknown command 'NOSUCH', with args beginning with: ",
		`EVAL "`+incr+`" 1 n`, ":1", "EVALSHA "+shaOf(incr)+" 1 n", ":2", "EVALSHA "+strings.Repeat("0", 40)+" 0",
		"-NOSCRIPT No matching script. Please use EVAL.",
		`EVAL "`+fails+`" 1 bad`, failure, "EVAL x", "-ERR wrong number of arguments for 'eval' command",
		"MULTI", "+OK", "INCR n", "+QUEUED", "GET none", "+QUEUED", "EXEC", "*2\r\n:3\r\n$-1",
		"SELECT 2", "+OK", "DBSIZE", ":0", "RPUSH l a b", ":2", "BLPOP l 0", "*2\r\n$1\r\nl\r\n$1\r\na",
		"HELLO 3", "%1\r\n$5\r\nproto\r\n:3", "ZADD z 1.5 m", ":1", "ZRANGE z 0 -1 WITHSCORES", "*1\r\n*2\r\n$1\r\nm\r\n,1.5",
	)
	turns = append(turns,
		turn{conn: 2, line: "BLPOP q 0", replyLater: true}, turn{conn: 3, line: "RPUSH q a", raw: ":1"},
		turn{conn: 2, raw: "*2\r\n$1\r\nq\r\n$1\r\na"}, turn{conn: 3, line: "LLEN q", raw: ":0"},
		turn{conn: 3, line: "BLPOP q 0.001", raw: "*-1"},
	)
	path := record(t, recording.Header{Config: map[string]string{"set-max-intset-entries": "3"}}, turns...)
	made, err := write(t, path, testfrom.Options{})
	require.NoError(t, err)
	require.Zero(t, made.Report.Count(), "%+v", made.Report.Differences)
	require.Equal(t, filepath.Join(filepath.Dir(path), "session_test.lua"), made.Path)
	text, err := os.ReadFile(made.Path)
	require.NoError(t, err)
	require.Empty(t, runs(t, made.Path), string(text))
	for _, want := range []string{
		"-- The keys that the server had at the start are not known.\n",
		"config = { ['set-max-intset-entries'] = '3', }",
		"    assert.are.same('v', redis.pcall('GET', 'k')) -- line 5\n",
		"redis.pcall('SREM', 's', 'b') -- line ", ": in place of SPOP, whose effect depends on chance\n",
		"left out: BLPOP: it would wait\n", "    redis.call('SELECT', 2)\n",
		"assert.are.same('ERR value is not an integer or out of range', failure(scripts['" + shaOf(fails) + "']:prun({ 'bad' }, {})))",
		"    clock.set(1767323045.004000)\n",
	} {
		require.Contains(t, string(text), want)
	}
	script, err := os.ReadFile(filepath.Join(filepath.Dir(path), "session_scripts", shaOf(incr)+".lua"))
	require.NoError(t, err)
	require.Equal(t, incr, string(script))

	// A script that was changed fails the test.
	changed := strings.Replace(incr, "INCR'", "DECR'", 1)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "session_scripts", shaOf(incr)+".lua"), []byte(changed), 0o600))
	require.NotEmpty(t, runs(t, made.Path))
}

// A reply that differs in the replay fails the test, too.
func TestATestOfADifferenceFails(t *testing.T) {
	made, err := write(t, record(t, recording.Header{}, on("INCR n", ":1", "INCR n", ":3")...), testfrom.Options{})
	require.NoError(t, err)
	require.Equal(t, 1, made.Report.Count())
	require.NotEmpty(t, runs(t, made.Path))
}

// The keys at the start come from the RDB file, at the time of the recording.
func TestKeysOfTheStart(t *testing.T) {
	path := record(t, recording.Header{}, on("GET k", "$1\r\nv", "DEL k", ":1")...)
	st := datastore.New(datastore.Options{})
	st.SetNow(started.UnixMicro())
	st.DB(0).SetString("k", "v", false)
	var b bytes.Buffer
	require.NoError(t, rdbfile.Write(&b, st, rdbfile.Writing{}))
	data := filepath.Join(filepath.Dir(path), "session.rdb")
	require.NoError(t, os.WriteFile(data, b.Bytes(), 0o600))
	to := filepath.Join(filepath.Dir(path), "other_test.lua")
	made, err := write(t, path, testfrom.Options{Path: to, Replay: replay.Options{Data: data}})
	require.NoError(t, err)
	require.Equal(t, 2, made.Compared)
	require.Empty(t, runs(t, to))
	text, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Contains(t, string(text), "    fixture('session.rdb')\n")

	_, err = write(t, path, testfrom.Options{Path: to})
	require.EqualError(t, err, to+" exists; --force replaces it")
	_, err = write(t, path, testfrom.Options{Path: to, Force: true})
	require.NoError(t, err)
}

func TestWhatMakesNoTest(t *testing.T) {
	_, err := write(t, record(t, recording.Header{}, on("PING", "+PONG")...), testfrom.Options{})
	require.ErrorContains(t, err, "has no commands that read or write keys")
	many := make([]string, 0, 42000)
	for i := range 21000 {
		many = append(many, "INCR n", fmt.Sprint(":", i+1))
	}
	path := record(t, recording.Header{}, on(many...)...)
	_, err = write(t, path, testfrom.Options{})
	require.ErrorContains(t, err, "a test has at most 20000 calls")
	require.NoFileExists(t, testfrom.Path(path))
}

// Lua allows a call few arguments unless a table has them.
func TestCommandsWithManyArguments(t *testing.T) {
	for _, n := range []int{90, 100, 300, 6900} {
		path := record(t, recording.Header{}, on("RPUSH l"+strings.Repeat(" x", n), fmt.Sprintf(":%d", n), "LLEN l", fmt.Sprintf(":%d", n))...)
		made, err := write(t, path, testfrom.Options{})
		require.NoError(t, err)
		require.Equal(t, 2, made.Compared, n)
		require.Empty(t, runs(t, made.Path), n)
	}
	path := record(t, recording.Header{}, on("RPUSH l"+strings.Repeat(" x", 8000), ":8000", "LLEN l", ":8000")...)
	made, err := write(t, path, testfrom.Options{})
	require.NoError(t, err)
	require.Equal(t, 1, made.Calls)
	require.Empty(t, runs(t, made.Path))
}
