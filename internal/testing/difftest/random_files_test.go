package difftest

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/persist"
)

// TestRandomFilesOfServers gives each server and an engine that follows it the same random data
// set, in a dump and in an append-only file with a base. What one side has written the other side
// loads: digests, streams and libraries must be those of the server that got the commands itself.
func TestRandomFilesOfServers(t *testing.T) {
	tier.Nightly(t)
	values := tier.Number("REDMOON_STEPS", 40, 200)
	for _, s := range servers.All() {
		if s != servers.Redis70 && oracles[s] == "" {
			continue
		}
		for _, appendOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, append-only %v", s, appendOnly), func(t *testing.T) {
				m := dumpMaker{rand.New(rand.NewPCG(tier.Seed(), 40+uint64(s)))}
				randomFiles(t, s, appendOnly, m.dataSet(s, values))
			})
		}
	}
}

// dataSet makes the commands that fill databases 0 and 3. The time to live of some keys ends in the
// far future. Deliveries of streams have times of their own.
func (m *dumpMaker) dataSet(s servers.Server, values int) (cmds [][]string) {
	for i := range values {
		if i == values*3/4 {
			cmds = append(cmds, []string{"SELECT", "3"})
		}
		key := "k" + strconv.Itoa(i)
		more, _ := m.value(key)
		switch n := m.r.IntN(5); {
		case n == 0 && s.Has(servers.FieldExpiry):
			more = m.timed(key)
		case n == 1:
			more = append(m.groups(key), m.deliveries(key)...)
		}
		if m.r.IntN(4) == 0 {
			more = append(more, []string{"PEXPIREAT", key, strconv.FormatInt(33_000_000_000_000+m.r.Int64N(1e6), 10)})
		}
		cmds = append(cmds, more...)
	}
	return append(cmds, []string{"SELECT", "0"},
		[]string{"FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function(keys, args) return args[1] end)"})
}

// deliveries makes the commands that give a stream a group with entries that are pending.
func (m *dumpMaker) deliveries(key string) (cmds [][]string) {
	cmds = append(cmds, []string{"XADD", key, "900000-1", "f", m.text()}, []string{"XADD", key, "900000-2", "f", m.text()},
		[]string{"XGROUP", "CREATE", key, "pending", "900000-2", "ENTRIESREAD", strconv.Itoa(m.r.IntN(9))})
	for i := range m.r.IntN(3) {
		cmds = append(cmds, []string{"XCLAIM", key, "pending", "c" + strconv.Itoa(m.r.IntN(2)), "0", "900000-" + strconv.Itoa(i+1),
			"TIME", strconv.FormatInt(1_600_000_000_000+m.r.Int64N(1e9), 10), "RETRYCOUNT", strconv.Itoa(m.r.IntN(9)), "FORCE"})
	}
	return cmds
}

func randomFiles(t *testing.T, s servers.Server, appendOnly bool, cmds [][]string) {
	ctx := context.Background()
	direct, loaded := startWithFiles(t, s, appendOnly), startWithFiles(t, s, appendOnly)
	feed(t, direct, cmds)
	want := contents(t, direct)

	dir := t.TempDir()
	o := engine.Options{Server: s.String(), Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: appendOnly})}
	e, err := engine.New(o)
	require.NoError(t, err)
	session, err := e.NewSession()
	require.NoError(t, err)
	half := len(cmds)
	if appendOnly { // the first half becomes the base
		half /= 2
	}
	for i, cmd := range cmds {
		if i == half {
			_, err = e.DoStrings(ctx, "BGREWRITEAOF")
			require.NoError(t, err)
		}
		_, err = session.DoStrings(ctx, cmd...)
		require.NoError(t, err, "%.200q", cmd)
	}
	if !appendOnly {
		_, err = e.DoStrings(ctx, "SAVE")
		require.NoError(t, err)
	}
	require.NoError(t, e.Close())
	t.Log("the server loads what the engine has written")
	replaceFiles(t, loaded, dir)
	sameContents(t, want, contents(t, loaded))
	if s == servers.Redis72 { // Redict writes files that Redis 7.2 does not read
		return
	}

	t.Log("the engine loads what the server has written, and the server what the engine makes of it")
	dir = t.TempDir()
	if !appendOnly {
		_, err = direct.Do("SAVE")
		require.NoError(t, err)
	}
	direct.Kill()
	require.NoError(t, os.CopyFS(dir, os.DirFS(direct.Dir)))
	o.Persistence = persist.New(persist.Options{Dir: dir, AppendOnly: appendOnly})
	e, err = engine.New(o)
	require.NoError(t, err)
	_, err = e.DoStrings(ctx, "SAVE")
	require.NoError(t, err)
	require.NoError(t, e.Close())
	if appendOnly {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "appendonlydir")))
		loaded = startWithFiles(t, s, false)
	}
	replaceFiles(t, loaded, dir)
	sameContents(t, want, contents(t, loaded))
}

// sameContents compares what two servers have. It shows the lines that differ.
func sameContents(t *testing.T, want, got string) {
	t.Helper()
	if want != got {
		t.Fatalf("%.4000s", textdiff.Unified("given", "loaded", want, got))
	}
}

// startWithFiles starts the oracle of a version, which loads its files when it starts again.
func startWithFiles(t *testing.T, s servers.Server, appendOnly bool) *redistest.Server {
	t.Helper()
	bin, err := redistest.Find()
	if s != servers.Redis70 {
		bin, err = redistest.Program(oracles[s])
	}
	if err != nil && !inCI() {
		t.Skip(err)
	}
	require.NoError(t, err)
	args := []string{"--dbfilename", "dump.rdb"}
	if appendOnly {
		args = append(args, "--appendonly", "yes", "--appendfsync", "always") // else a killed server loses the end
	}
	server, err := redistest.StartBinary(bin, args...)
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	return server
}

// feed runs commands on one connection.
func feed(t *testing.T, server *redistest.Server, cmds [][]string) {
	t.Helper()
	c, err := newNetPipe(server.Addr)
	require.NoError(t, err)
	defer c.Close()
	replies, err := c.Run(cmds)
	require.NoError(t, err)
	for i, reply := range replies {
		require.NotEqual(t, byte('-'), reply[0], "%.200q: %.200q", cmds[i], reply)
	}
}

// replaceFiles starts a server again with the files of a folder in place of its own.
func replaceFiles(t *testing.T, server *redistest.Server, dir string) {
	t.Helper()
	server.Kill()
	old, err := os.ReadDir(server.Dir)
	require.NoError(t, err)
	for _, f := range old {
		require.NoError(t, os.RemoveAll(filepath.Join(server.Dir, f.Name())))
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || strings.HasPrefix(name, ".redmoon") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(server.Dir, name)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(server.Dir, name), data, 0o644)
	}))
	require.NoError(t, server.Resume())
}

// contents says what a server has: a digest of all keys, each stream whole, and the libraries.
func contents(t *testing.T, server *redistest.Server) string {
	t.Helper()
	var lines []string
	note := func(args ...string) engine.Value {
		v, err := server.Do(args...)
		require.NoError(t, err, "%q", args)
		return v
	}
	lines = append(lines, note("DEBUG", "DIGEST").Text())
	for _, db := range []string{"0", "3"} {
		script := "redis.call('SELECT', ARGV[1]) local t = {} for _, k in ipairs(redis.call('KEYS', '*')) do " +
			"if redis.call('TYPE', k).ok == 'stream' then t[#t + 1] = k end end table.sort(t) local r = {} for i, k in ipairs(t) do " +
			"r[i] = {k, redis.call('XINFO', 'STREAM', k, 'FULL', 'COUNT', 0)} end return r"
		for _, stream := range note("EVAL", script, "0", db).Slice() {
			lines = append(lines, db+" "+withoutTimes(stream))
		}
	}
	lines = append(lines, note("FUNCTION", "LIST", "WITHCODE").String())
	return strings.Join(lines, "\n")
}

// withoutTimes is the text of a reply without the times at which consumers were seen.
func withoutTimes(v engine.Value) string {
	if v.Kind() != engine.KindArray {
		return fmt.Sprintf("%q", v.Text())
	}
	var parts []string
	for i, item := range v.Slice() {
		if i > 0 && strings.HasSuffix(parts[i-1], `-time"`) {
			parts = append(parts, "a time")
			continue
		}
		parts = append(parts, withoutTimes(item))
	}
	return "[\n" + strings.Join(parts, "\n") + "\n]"
}
