package deploy

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/resp"
)

const script = "return redis.call('INCRBY', KEYS[1], ARGV[1])\n"

// libraryText is a library that registers functions, which return a value.
func libraryText(name, value string, functions ...string) string {
	text := "#!lua name=" + name + "\n"
	for _, f := range functions {
		text += fmt.Sprintf("redis.register_function('%s', function() return '%s' end)\n", f, value)
	}
	return text
}

// folder writes files, pairs of a name and a text, to a new folder.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(files[i+1]), 0o644))
	}
	return dir
}

// result is what Run has returned and printed.
type result struct {
	differ        int
	err           error
	out, problems string
}

func deploy(t *testing.T, o Options) result {
	t.Helper()
	var out, problems bytes.Buffer
	o.Stdout, o.Problems = &out, &problems
	differ, err := Run(patience.Context(t), o)
	return result{differ, err, out.String(), problems.String()}
}

// place is a server to deploy to.
type place struct {
	address string
	do      func(args ...string) (engine.Value, error)
}

func must(t *testing.T, v engine.Value, err error) engine.Value {
	t.Helper()
	require.NoError(t, err)
	require.False(t, v.IsError(), v.Text())
	return v
}

func started(t *testing.T, s *redistest.Server, err error) place {
	t.Helper()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return place{"redis://" + s.Addr, s.Do}
}

// redisServer starts a redis-server 7.0.15.
func redisServer(t *testing.T) place {
	redistest.Need(t)
	s, err := redistest.Start()
	return started(t, s, err)
}

// embedded serves an engine.
func embedded(t *testing.T, o engine.Options) place {
	e, err := engine.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	server := resp.NewServer(e, resp.Options{})
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }() // the error says that it was closed
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return place{"redis://" + l.Addr().String(), func(args ...string) (engine.Value, error) {
		return e.DoStrings(context.Background(), args...)
	}}
}

// onEach runs a test on servers of several kinds.
func onEach(t *testing.T, f func(t *testing.T, p place)) {
	t.Run("engine", func(t *testing.T) { f(t, embedded(t, engine.Options{})) })
	t.Run("cluster engine", func(t *testing.T) { f(t, embedded(t, engine.Options{Cluster: true})) })
	t.Run("redis-server", func(t *testing.T) { f(t, redisServer(t)) })
	for _, name := range []string{"redis-8.6", "valkey-9.1"} {
		t.Run(name, func(t *testing.T) {
			s, err := redistest.StartBinary(redistest.NeedServer(t, name))
			f(t, started(t, s, err))
		})
	}
}

func TestPlanThenDeployThenCheck(t *testing.T) {
	onEach(t, func(t *testing.T, p place) {
		dir := folder(t, "add.lua", script, "lib.lua", libraryText("mine", "1", "f", "g"))
		o := Options{Address: p.address, Paths: []string{dir}, Lock: filepath.Join(dir, LockName)}
		r := deploy(t, o)
		require.NoError(t, r.err)
		require.Contains(t, r.out, "  new      library mine  ")
		require.Contains(t, r.out, "Nothing has been changed")
		require.Empty(t, must2(t)(p.do("FUNCTION", "LIST")).Slice())
		require.NoFileExists(t, o.Lock)

		o.Check = true
		require.Equal(t, 2+1, deploy(t, o).differ, "two texts and the lock file")
		o.Check, o.Yes = false, true
		r = deploy(t, o)
		require.NoError(t, r.err, r.problems)
		require.Empty(t, r.problems)
		require.Equal(t, "1", must2(t)(p.do("FCALL", "g", "0")).Text())
		sha := must2(t)(p.do("SCRIPT", "LOAD", script)).Text()
		require.Contains(t, r.out, sha)
		lock, err := os.ReadFile(o.Lock)
		require.NoError(t, err)
		require.Contains(t, string(lock), `"sha1": "`+sha+`"`)

		o.Yes, o.Check = false, true
		require.Equal(t, 0, deploy(t, o).differ)
		_, err = p.do("SCRIPT", "FLUSH")
		require.NoError(t, err)
		require.Equal(t, 1, deploy(t, o).differ, "the server has no script any more")

		// The library changes, and functions move within the same deployment.
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lib.lua"), []byte(libraryText("mine", "2", "f")), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "new.lua"), []byte(libraryText("alpha", "2", "g")), 0o644))
		o.Check, o.Yes = false, true
		r = deploy(t, o)
		require.NoError(t, r.err, r.problems)
		require.Contains(t, r.out, "-redis.register_function('g'")
		require.Equal(t, "2", must2(t)(p.do("FCALL", "g", "0")).Text())
	})
}

// must2 is must for a call that returns both values.
func must2(t *testing.T) func(engine.Value, error) engine.Value {
	return func(v engine.Value, err error) engine.Value { t.Helper(); return must(t, v, err) }
}

func TestOtherLibrariesAreDeletedByNameOnly(t *testing.T) {
	onEach(t, func(t *testing.T, p place) {
		dir := folder(t, "lib.lua", libraryText("mine", "1", "f"))
		_, err := p.do("FUNCTION", "LOAD", libraryText("theirs", "x", "F"))
		require.NoError(t, err)
		o := Options{Address: p.address, Paths: []string{dir}, Yes: true}
		r := deploy(t, o)
		require.ErrorContains(t, r.err, "the function f of the library mine")
		require.ErrorContains(t, r.err, "--prune theirs deletes that")
		require.Len(t, must2(t)(p.do("FUNCTION", "LIST")).Slice(), 1)
		o.Prune = []string{"thiers"}
		require.ErrorContains(t, deploy(t, o).err, "no server has this library")
		o.Prune = []string{"mine"}
		require.ErrorContains(t, deploy(t, o).err, "has this library")
		o.Prune = []string{"theirs"}
		require.NoError(t, deploy(t, o).err)
		require.Equal(t, "1", must2(t)(p.do("FCALL", "f", "0")).Text())

		_, err = p.do("FUNCTION", "LOAD", libraryText("theirs", "x", "h"))
		require.NoError(t, err)
		r = deploy(t, Options{Address: p.address, Paths: []string{dir}, Check: true})
		require.Equal(t, 1, r.differ)
		require.Contains(t, r.out, "other    library theirs  (no file has it)")
		r = deploy(t, Options{Address: p.address, Paths: []string{dir}, Check: true, Except: []string{"theirs"}})
		require.Zero(t, r.differ)
	})
}

func TestNothingIsSentUnlessAllTextsAreRight(t *testing.T) {
	p := embedded(t, engine.Options{})
	for want, files := range map[string][]string{
		"bad.lua: Error compiling script":        {"bad.lua", "return +"},
		"x.lua: Error registering functions":     {"x.lua", "#!lua name=x\nredis.nosuch()"},
		"b.lua: Function f already exists":       {"a.lua", libraryText("a", "1", "f"), "b.lua", libraryText("b", "1", "f")},
		"are both the library a":                 {"a.lua", libraryText("a", "1", "f"), "b.lua", libraryText("a", "1", "g")},
		"No functions registered":                {"a.lua", "#!lua name=a\nlocal x = 1"},
		"no scripts were found":                  {"a_test.lua", "return 1"},
		"1 script cannot be built":               {"a.lua", "--- @include \"nosuch\""},
		"Library names can only contain letters": {"a.lua", "#!lua name=a-b\nreturn 1"},
	} {
		dir := folder(t, append(files, "add.lua", script)...)
		if strings.HasPrefix(want, "no scripts") {
			require.NoError(t, os.Remove(filepath.Join(dir, "add.lua")))
		}
		r := deploy(t, Options{Address: p.address, Paths: []string{dir}, Yes: true})
		require.ErrorContains(t, r.err, want)
		require.Empty(t, must2(t)(p.do("FUNCTION", "LIST")).Slice())
		sum := must2(t)(p.do("SCRIPT", "EXISTS", "580e6155659f4567b013eddd837c4fc7b80e55a0"))
		require.NotEqual(t, "1", sum.Slice()[0].Text())
	}
}

func TestLibrariesThatExchangeFunctions(t *testing.T) {
	p := embedded(t, engine.Options{})
	o := Options{Address: p.address, Yes: true,
		Paths: []string{folder(t, "a.lua", libraryText("a", "1", "f"), "b.lua", libraryText("b", "1", "g"))}}
	require.NoError(t, deploy(t, o).err)
	o.Paths = []string{folder(t, "a.lua", libraryText("a", "1", "g"), "b.lua", libraryText("b", "1", "f"))}
	require.ErrorContains(t, deploy(t, o).err, "exchange functions")
}

func TestUsersWithoutRights(t *testing.T) {
	onEach(t, func(t *testing.T, p place) {
		o := Options{Paths: []string{folder(t, "add.lua", script, "l.lua", libraryText("mine", "1", "f"))}, Yes: true}
		o.Address = strings.Replace(p.address, "redis://", "redis://u:secret@", 1)
		rights := []string{"ACL", "SETUSER", "u", "on", ">secret"}
		grant := func(more ...string) { must2(t)(p.do(append(rights, more...)...)) }
		grant("+info")
		require.ErrorContains(t, deploy(t, o).err, "NOPERM")
		grant("+script|exists", "+function|list", "+cluster|shards", "+acl|whoami", "+acl|dryrun")
		require.ErrorContains(t, deploy(t, o).err, "the user u may not use FUNCTION LOAD, SCRIPT LOAD")
		grant("-acl|dryrun", "+script|load") // it is found out later
		r := deploy(t, o)
		require.ErrorContains(t, r.err, "FUNCTION LOAD: NOPERM")
		require.Contains(t, r.problems, "not as in the files: library mine")
		grant("+function|load")
		require.NoError(t, deploy(t, o).err)
		o.Address = strings.Replace(p.address, "redis://", "redis://u:wrong@", 1)
		r = deploy(t, o)
		require.ErrorContains(t, r.err, "WRONGPASS")
		require.NotContains(t, r.err.Error(), "wrong@")
	})
}

func TestAReplicaIsNoTarget(t *testing.T) {
	master := redisServer(t)
	replica := redisServer(t)
	host, port, _ := strings.Cut(strings.TrimPrefix(master.address, "redis://"), ":")
	must2(t)(replica.do("REPLICAOF", host, port))
	r := deploy(t, Options{Address: replica.address, Paths: []string{folder(t, "add.lua", script)}, Yes: true})
	require.ErrorContains(t, r.err, "this is a replica: deploy to its master, "+host+":"+port)
}

// A server that becomes a replica after it got the texts is noticed.
func TestAFailoverMeanwhile(t *testing.T) {
	p := redisServer(t)
	o := Options{Address: p.address, Paths: []string{folder(t, "add.lua", script)}, Yes: true}
	o.sent = func(string) { must2(t)(p.do("REPLICAOF", "127.0.0.1", "1")) }
	r := deploy(t, o)
	require.ErrorContains(t, r.err, "it was a master until now: run the command again")
}

// Of two who deploy at the same time, at least one fails.
func TestTwoAtOnce(t *testing.T) {
	p := redisServer(t)
	o := Options{Address: p.address, Paths: []string{folder(t, "l.lua", libraryText("mine", "1", "f"))}, Yes: true}
	o.sent = func(string) { must2(t)(p.do("FUNCTION", "LOAD", "REPLACE", libraryText("mine", "2", "f"))) }
	r := deploy(t, o)
	require.ErrorContains(t, r.err, "somebody else has changed it meanwhile: library mine; run the command again")
	require.Contains(t, r.problems, "not as in the files: library mine")
}

func TestAScriptThatWasEvaluatedIsKept(t *testing.T) {
	s, err := redistest.StartBinary(redistest.NeedServer(t, "valkey-9.1"))
	p := started(t, s, err)
	must2(t)(p.do("EVAL", script, "1", "n", "1"))
	require.NoError(t, deploy(t, Options{Address: p.address, Paths: []string{folder(t, "add.lua", script)}, Yes: true}).err)
	for i := range 600 {
		must2(t)(p.do("EVAL", fmt.Sprintf("return %d", i), "0"))
	}
	require.Zero(t, deploy(t, Options{Address: p.address, Paths: []string{folder(t, "add.lua", script)}, Check: true}).differ)
}

func TestClusters(t *testing.T) {
	redistest.Need(t)
	c, err := redistest.StartCluster(3)
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	dir := folder(t, "add.lua", script, "l.lua", libraryText("mine", "1", "f"))
	o := Options{Address: "redis://" + c.Masters[1].Addr, Paths: []string{dir}}
	r := deploy(t, o)
	require.NoError(t, r.err)
	require.Equal(t, 1, strings.Count(r.out, "new      library mine"), "one plan for all: %s", r.out)
	for _, addr := range c.Addrs() {
		require.Contains(t, r.out, addr+" (redis 7.0.15)")
	}
	o.Yes = true
	require.NoError(t, deploy(t, o).err)
	for _, m := range c.Masters {
		require.Equal(t, "1", must2(t)(m.Do("FCALL", "f", "0")).Text())
	}

	// One master refuses: the report says who has what, and the next run goes on.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "l.lua"), []byte(libraryText("mine", "2", "f")), 0o644))
	must2(t)(c.Masters[2].Do("CONFIG", "SET", "min-replicas-to-write", "1"))
	r = deploy(t, o)
	require.ErrorContains(t, r.err, c.Masters[2].Addr+": FUNCTION LOAD: NOREPLICAS")
	require.Contains(t, r.problems, c.Masters[2].Addr+": not as in the files: library mine")
	must2(t)(c.Masters[2].Do("CONFIG", "SET", "min-replicas-to-write", "0"))
	r = deploy(t, o)
	require.NoError(t, r.err)
	require.Contains(t, r.out, c.Masters[2].Addr+" (redis 7.0.15)")
	o.Yes, o.Check = false, true
	require.Zero(t, deploy(t, o).differ)

	// A new master that joins meanwhile is noticed.
	o.Yes, o.Check = true, false
	fresh, err := redistest.Start("--cluster-enabled", "yes", "--cluster-port", redistest.AnyPort)
	require.NoError(t, err)
	t.Cleanup(fresh.Stop)
	joined := false
	o.sent = func(string) {
		if joined {
			return
		}
		joined = true
		port := must2(t)(fresh.Do("CONFIG", "GET", "cluster-port")).Strings()[1]
		host, own, _ := strings.Cut(fresh.Addr, ":")
		for _, m := range c.Masters {
			must2(t)(m.Do("CLUSTER", "MEET", host, own, port))
		}
		require.NoError(t, patience.Try(func() error {
			for _, m := range c.Masters {
				text := must2(t)(m.Do("CLUSTER", "NODES")).Text()
				if !strings.Contains(text, fresh.Addr+"@") || strings.Contains(text, "handshake") {
					return fmt.Errorf("not known yet: %s", text)
				}
			}
			return nil
		}))
	}
	require.ErrorContains(t, deploy(t, o).err, fresh.Addr+" has become a master of the cluster meanwhile")

	// A master that is dead refuses the whole, before anything is sent.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "l.lua"), []byte(libraryText("mine", "3", "f")), 0o644))
	o.sent = nil
	fresh.Stop()
	require.ErrorContains(t, deploy(t, o).err, "a master of the cluster cannot be used: ")
	for _, m := range c.Masters {
		require.Equal(t, "2", must2(t)(m.Do("FCALL", "f", "0")).Text())
	}
}

func TestLockFilesOfOthersAreKept(t *testing.T) {
	p := embedded(t, engine.Options{})
	dir := folder(t, "add.lua", script, "mine.json", `{"name": "package"}`)
	o := Options{Address: p.address, Paths: []string{dir}, Yes: true, Lock: filepath.Join(dir, "mine.json")}
	require.ErrorContains(t, deploy(t, o).err, "this is no lock file of redmoon deploy")
	text, err := os.ReadFile(o.Lock)
	require.NoError(t, err)
	require.Equal(t, `{"name": "package"}`, string(text))
	require.Equal(t, "0", must2(t)(p.do("SCRIPT", "EXISTS", "580e6155659f4567b013eddd837c4fc7b80e55a0")).Slice()[0].Text())
}

func TestTheLockFileShowsWhoHasChangedALibrary(t *testing.T) {
	p := embedded(t, engine.Options{})
	dir := folder(t, "l.lua", libraryText("mine", "1", "f"))
	o := Options{Address: p.address, Paths: []string{dir}, Yes: true, Lock: filepath.Join(dir, LockName)}
	require.NoError(t, deploy(t, o).err)
	must2(t)(p.do("FUNCTION", "LOAD", "REPLACE", libraryText("mine", "by hand", "f")))
	o.Yes, o.Check = false, true
	r := deploy(t, o)
	require.Equal(t, 1, r.differ)
	require.Contains(t, r.out, "somebody has changed it since redmoon.lock was written")
}
