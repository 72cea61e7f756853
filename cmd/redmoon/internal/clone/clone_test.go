package clone_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/clone"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

func options(t *testing.T, address string) clone.Options {
	return clone.Options{Address: address, Path: filepath.Join(t.TempDir(), "dump.rdb"), Now: time.Now, Silence: patience.Limit}
}

const populate = `
for db = 0, 3, 3 do
	redis.call('select', db)
	for i = 1, 700 do
		redis.call('set', 'user:' .. i, 'v' .. i .. db)
		redis.call('rpush', 'list', i)
		redis.call('hset', 'hash', i, i)
		redis.call('zadd', 'zset', i, 'm' .. i)
		redis.call('sadd', 'set', 'm' .. i)
		redis.call('xadd', 'stream', i .. '-1', 'f', i)
	end
	redis.call('pexpireat', 'user:1', 4102444800000)
end`

// contents returns the keys of a file with their values as text.
func contents(t *testing.T, path string) (all []string) {
	e, err := engine.New(engine.Options{Compat: "8.0"})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.LoadRDBFile(context.Background(), path, engine.LoadOptions{})
	require.NoError(t, err)
	s, err := e.NewSession()
	require.NoError(t, err)
	for db := range 16 {
		_, err = s.DoStrings(context.Background(), "SELECT", fmt.Sprint(db))
		require.NoError(t, err)
		keys, err := s.DoStrings(context.Background(), "KEYS", "*")
		require.NoError(t, err)
		for _, key := range keys.Strings() {
			v, err := s.DoStrings(context.Background(), "DEBUG", "DIGEST-VALUE", key)
			require.NoError(t, err)
			expires := ""
			if ttl, err := s.DoStrings(context.Background(), "PEXPIRETIME", key); err == nil && ttl.Text() != "-1" {
				expires = " expires at " + ttl.Text()
			}
			all = append(all, fmt.Sprint(db, " ", key, " ", v.Slice()[0].Text(), expires))
		}
	}
	sort.Strings(all)
	return all
}

// rounded returns contents with times of expiry in days.
func rounded(all []string) (out []string) {
	const half = 12 * 60 * 60 * 1000
	for _, line := range all {
		if head, ms, ok := strings.Cut(line, " at "); ok {
			n, _ := strconv.ParseInt(ms, 10, 64)
			line = fmt.Sprint(head, " at ", (n+half)/(2*half))
		}
		out = append(out, line)
	}
	return out
}

func TestRedisServer(t *testing.T) {
	redistest.Need(t)
	for name, args := range map[string][]string{
		"sized":  {"--repl-diskless-sync", "no"},
		"marked": {"--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := redistest.Start(args...)
			require.NoError(t, err)
			defer s.Stop()
			for _, args := range [][]string{{"EVAL", populate, "0"},
				{"FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() return 1 end)"},
				{"ACL", "SETUSER", "poor", "on", ">pw", "~*", "+@all", "-sync", "-psync", "-replconf"}} {
				_, err = s.Do(args...)
				require.NoError(t, err)
			}
			whole := options(t, s.Addr)
			var seen []int64
			whole.Progress = func(done, _ int64) { seen = append(seen, done) }
			res, err := clone.Run(context.Background(), whole)
			require.NoError(t, err)
			require.Equal(t, 2*705, res.Keys)
			require.Empty(t, res.Refusal)
			require.NotEmpty(t, seen)
			want := contents(t, whole.Path)
			require.Len(t, want, 2*705)

			refused := options(t, "redis://poor:pw@"+s.Addr)
			res, err = clone.Run(context.Background(), refused)
			require.NoError(t, err)
			require.Contains(t, res.Refusal, "NOPERM")
			require.Equal(t, 2*705, res.Keys)
			require.Equal(t, want, contents(t, refused.Path))

			// PTTL, as before Redis 7.0, gives nearly the same times, also if the clock here is wrong.
			_, err = s.Do("ACL", "SETUSER", "poor", "-pexpiretime")
			require.NoError(t, err)
			old := options(t, "redis://poor:pw@"+s.Addr)
			old.Now = func() time.Time { return time.Now().AddDate(-1, 0, 0) }
			_, err = clone.Run(context.Background(), old)
			require.NoError(t, err)
			require.Equal(t, rounded(want), rounded(contents(t, old.Path)))

			for _, scan := range []bool{false, true} {
				part := options(t, "redis://"+s.Addr+"/3")
				part.Match, part.Scan = []string{"user:1?", "set"}, scan
				res, err = clone.Run(context.Background(), part)
				require.NoError(t, err)
				require.Equal(t, 11, res.Keys)
				require.Subset(t, want, contents(t, part.Path))
			}
			wrong := options(t, "redis://poor:no@"+s.Addr)
			_, err = clone.Run(context.Background(), wrong)
			require.ErrorContains(t, err, "WRONGPASS")
		})
	}
}

// The files of an existing path and of a failed copy.
func TestFilesAreReplacedOnlyWhenWanted(t *testing.T) {
	rdb := sample(t)
	o := options(t, fake(t, string(rdb)))
	require.NoError(t, os.WriteFile(o.Path, []byte("mine"), 0o600))
	_, err := clone.Run(context.Background(), o)
	require.EqualError(t, err, o.Path+" exists; --force replaces it")
	text, err := os.ReadFile(o.Path)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
	o.Force = true
	_, err = clone.Run(context.Background(), o)
	require.NoError(t, err)
	text, err = os.ReadFile(o.Path)
	require.NoError(t, err)
	require.Equal(t, rdb, text)
	entries, err := os.ReadDir(filepath.Dir(o.Path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// sample is a small RDB file: a key, and the end without a checksum.
func sample(*testing.T) []byte {
	return append([]byte("REDIS0010\xfe\x00\x00\x01k\x01v\xff"), make([]byte, 8)...)
}

// fake is a server that answers SYNC with a copy of known size that has the text of rdb.
func fake(t *testing.T, rdb string) (address string) {
	return fakeAnswering(t, fmt.Sprintf("$%d\r\n%s", len(rdb), rdb))
}

// fakeAnswering is a server that answers SYNC with some bytes and closes the connection. It refuses
// all else.
func fakeAnswering(t *testing.T, answer string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				lines := bufio.NewScanner(nc)
				for lines.Scan() {
					switch line := lines.Text(); {
					case line == "SYNC":
						_, _ = io.WriteString(nc, answer)
						return
					case line == "REPLCONF" || line == "SCAN" || line == "INFO" || line == "PEXPIRETIME":
						_, _ = io.WriteString(nc, "-ERR unknown command\r\n")
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

// A server that sends something else: a clear error, and no file.
func TestHostileServers(t *testing.T) {
	rdb, mark := string(sample(t)), strings.Repeat("x", 40)
	for answer, want := range map[string]string{
		"":                               "the server has closed the connection",
		"\n\n\n":                         "the server has closed the connection",
		strings.Repeat("x", 5000):        "the server has sent a line of more than 4096 bytes",
		"+OK\r\n":                        `the server's answer to SYNC is "+OK", which no Redis sends`,
		"$-1\r\n":                        `the server's answer to SYNC is "$-1", which no Redis sends`,
		"$99999999999999999999\r\n":      `the server's answer to SYNC is "$99999999999999999999", which no Redis sends`,
		"$EOF:short\r\n" + rdb:           `the server's answer to SYNC is "$EOF:short", which no Redis sends`,
		"$9223372036854775807\r\n" + rdb: "bytes before the end of the copy",
		"$EOF:" + mark + "\r\n" + rdb:    "the server has closed the connection before the end of the copy",
		"$EOF:" + mark + "\r\n" + mark:   `the copy begins with "", not with REDIS`,
		"$5\r\nHELLO":                    `the copy begins with "HELLO", not with REDIS`,
		"$0\r\n":                         `the copy begins with "", not with REDIS`,
		"-LOADING Redis is loading\r\n":  "LOADING Redis is loading",
		"-NOMASTERLINK no\r\n":           "NOMASTERLINK no",
		"-ERR unknown command\r\n":       "database 0: ERR unknown command",
		"$9\r\nREDIS9999":                "the copy is damaged: ",
	} {
		o := options(t, fakeAnswering(t, answer))
		_, err := clone.Run(context.Background(), o)
		require.ErrorContains(t, err, want, answer)
		entries, err := os.ReadDir(filepath.Dir(o.Path))
		require.NoError(t, err)
		require.Empty(t, entries)
	}
}

// A copy that ends, or is changed, at any byte is an error and no file.
func TestDamagedCopies(t *testing.T) {
	rdb := sample(t)
	for cut := range rdb {
		for _, match := range [][]string{nil, {"*"}} {
			o := options(t, fake(t, string(rdb[:cut])))
			o.Match = match
			_, err := clone.Run(context.Background(), o)
			require.Error(t, err, cut)
			require.NoFileExists(t, o.Path)
		}
	}
	mark := strings.Repeat("m", 40)
	for _, behind := range []string{"", "*1\r\n$4\r\nPING\r\n"} {
		o := options(t, fakeAnswering(t, "\n\n$EOF:"+mark+"\r\n"+string(rdb)+mark+behind))
		res, err := clone.Run(context.Background(), o)
		require.NoError(t, err)
		require.Equal(t, 1, res.Keys)
		text, err := os.ReadFile(o.Path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(rdb, text))
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	o := options(t, l.Addr().String())
	o.Silence = 20 * time.Millisecond
	_, err = clone.Run(context.Background(), o)
	require.EqualError(t, err, "the server has sent nothing for 20ms")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = clone.Run(ctx, options(t, l.Addr().String()))
	require.ErrorIs(t, err, context.Canceled)
}
