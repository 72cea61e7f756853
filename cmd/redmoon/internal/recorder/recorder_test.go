package recorder_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/recorder"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
)

// Passwords of clients, and that of the address, are not in the file.
func TestPasswordsAreNotRecorded(t *testing.T) {
	addr := serve(t, engine.Options{Config: map[string]string{"requirepass": "secret-of-all"}})
	r := record(t, "redis://:secret-of-all@"+addr)
	p := r.dial()
	p.do("AUTH wrong-secret", "AUTH secret-of-all", "SET k v", "HELLO 3 AUTH default secret-of-all")
	p.do("CONFIG SET requirepass secret-of-new", "ACL SETUSER ann on >secret-of-ann", "CONFIG GET requirepass",
		"ACL LIST", "AUTH default secret-of-new", "GET k")
	r.stop()
	text, err := os.ReadFile(r.path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "secret")
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.Equal(t, map[replay.Reason]int{replay.Hidden: 6}, rep.NotRun)
	require.Equal(t, 4, rep.Same+rep.Allowed[replay.ByServer], show(rep)) // SET, HELLO, ACL, GET
	info, err := os.Stat(r.path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// A reply that was changed in the file is reported, with its place.
func TestAChangedReplyIsReported(t *testing.T) {
	r := record(t, serve(t, engine.Options{}))
	r.dial().do("SET k v", "GET k", "INCR n")
	r.stop()
	text, err := os.ReadFile(r.path)
	require.NoError(t, err)
	changed := strings.Replace(string(text), `"$1\r\nv\r\n"`, `"$1\r\nw\r\n"`, 1)
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(r.path, []byte(changed), 0o600))
	rep := r.replay()
	require.Len(t, rep.Differences, 1)
	d := rep.Differences[0]
	require.Equal(t, []string{"GET", "k"}, d.Command)
	require.Equal(t, "$1\r\nw\r\n", d.Recorded)
	require.Equal(t, "$1\r\nv\r\n", d.Got)
	require.EqualValues(t, 2, d.N)
	require.Equal(t, 2, rep.Same)
}

// The keys at the start are copied, with their times to live.
func TestKeysAtTheStartAreCopied(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		dial(t, addr).do("SET k v PX 500000", "RPUSH l a b", "SET other 1")
		scan := func(o *recorder.Options) { o.WithData, o.Scan, o.Match = true, true, []string{"?"} }
		r := record(t, addr, scan)
		r.dial().do("PTTL k", "LRANGE l 0 -1", "APPEND k w", "GET k")
		r.stop()
		rep := r.replay()
		require.Empty(t, rep.Differences, show(rep))
		require.Equal(t, 2, rep.Header.Data.Keys)
		empty := r.replay(func(o *replay.Options) { o.Data = "" })
		require.Len(t, empty.Differences, 4, show(empty))
	})
}

// A script that was loaded before the recording is missing in the replay, unless the user has it.
func TestAScriptOfBefore(t *testing.T) {
	addr := serve(t, engine.Options{})
	const text = "return redis.call('INCR', KEYS[1])"
	sha := dial(t, addr).do(`SCRIPT LOAD "` + text + `"`).Text()
	r := record(t, addr)
	r.dial().do("EVALSHA "+sha+" 1 n", "SET k v")
	require.Equal(t, []string{sha}, r.stop().Missing)
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.Equal(t, []string{sha}, rep.Missing)
	require.Equal(t, map[replay.Reason]int{replay.NoText: 1}, rep.NotRun)
	rep = r.replay(func(o *replay.Options) { o.Scripts = []string{text} })
	require.Equal(t, 2, rep.Same, show(rep))
	require.Empty(t, rep.NotRun)
}

// What a killed recorder has written is replayed up to the last whole line.
func TestATornRecording(t *testing.T) {
	r := record(t, serve(t, engine.Options{}), func(o *recorder.Options) { o.Path += ".gz" })
	r.dial().do("SET k v", "GET k")
	r.stop()
	text, err := os.ReadFile(r.path)
	require.NoError(t, err)
	for size := len(text) - 1; size > len(text)-60; size-- {
		require.NoError(t, os.WriteFile(r.path, text[:size], 0o600))
		rep := r.replay()
		require.True(t, rep.Unfinished)
		require.Empty(t, rep.Differences)
		require.Empty(t, rep.Damage)
	}
}

// Values of megabytes pass and are replayed; of a reply over the limit only the hash is recorded.
func TestLargeValues(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		r := record(t, addr, func(o *recorder.Options) { o.MaxReply = 1000 })
		p := r.dial()
		value := strings.Repeat("0123456789abcdef", 1<<18)
		p.do("SET k "+value, "GET k", "APPEND k x", "GET k", "STRLEN k")
		require.Len(t, p.do("GET k").Text(), len(value)+1)
		r.stop()
		rep := r.replay()
		require.Empty(t, rep.Differences, show(rep))
		require.Equal(t, 6, rep.Same)
		cut := 0
		for _, ev := range events(t, r.path) {
			if ev.Cut != nil {
				cut++
				require.Len(t, ev.Raw, 1000)
			}
		}
		require.Equal(t, 3, cut)
	})
}

// When the file has its size, clients are still served.
func TestClientsOutliveTheRecording(t *testing.T) {
	r := record(t, serve(t, engine.Options{}), func(o *recorder.Options) { o.MaxSize = 2000 })
	p := r.dial()
	for range 100 {
		p.do("INCR n")
	}
	require.EqualValues(t, 101, p.do("INCR n").MustInt())
	require.True(t, r.stop().Full)
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.False(t, rep.Unfinished)
	require.Less(t, rep.Same, 100)
}

// Without a server nothing is created; an existing file is not replaced.
func TestWhatCannotBeRecorded(t *testing.T) {
	path := t.TempDir() + "/a.rec"
	o := recorder.Options{Listen: "127.0.0.1:0", Target: "127.0.0.1:1", Path: path, Log: func(string) {}}
	_, err := recorder.Start(t.Context(), o)
	require.ErrorContains(t, err, "connection refused")
	require.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	_, err = recorder.Start(t.Context(), o)
	require.EqualError(t, err, path+" exists; --force replaces it")

	// The copy of session.rdb would be session.rdb.
	o.Path, o.WithData, o.Force = t.TempDir()+"/session.rdb", true, true
	_, err = recorder.Start(t.Context(), o)
	require.ErrorContains(t, err, "give --out another one")
	require.NoFileExists(t, o.Path)
}

// A file that is replaced may have been readable for all; a recording is not.
func TestAReplacedFileIsPrivate(t *testing.T) {
	r := record(t, serve(t, engine.Options{}), func(o *recorder.Options) {
		o.Force, o.WithData, o.Scan = true, true, true
		require.NoError(t, os.WriteFile(o.Path, nil, 0o600))
		require.NoError(t, os.Chmod(o.Path, 0o644))
	})
	r.stop()
	for _, path := range []string{r.path, recorder.DataPath(r.path)} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path)
	}
}

// A client that sends what is not RESP is passed on, and not recorded.
func TestOtherBytesPass(t *testing.T) {
	r := record(t, serve(t, engine.Options{}))
	p := r.dial()
	p.do("SET k v")
	_, err := p.nc.Write([]byte("*1\r\n!secret\r\n"))
	require.NoError(t, err)
	require.Contains(t, p.read().Text(), "Protocol error")
	require.EqualValues(t, 1, r.stop().Unparsed)
	text, err := os.ReadFile(r.path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "secret")
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.Equal(t, 1, rep.Unparsed)
	require.Equal(t, recording.Version, rep.Header.Version)
}
