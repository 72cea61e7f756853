package persist_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/resp"
)

// damageLimit is the memory in bytes that an engine may take that starts from a damaged file of a
// few KiB.
const damageLimit = 64 << 20

// The files of a small append-only file. Their names are those of redis-server.
const (
	baseName     = "appendonly.aof.2.base.rdb"
	incrName     = "appendonly.aof.2.incr.aof"
	manifestName = "appendonly.aof.manifest"
)

// sampleFiles returns the files of an append-only file with a base, and an incremental file with
// commands, a transaction and the effects of a script.
func sampleFiles(t *testing.T) map[string][]byte {
	o := persist.Options{Dir: t.TempDir(), AppendOnly: true}
	e := start(t, o)
	for _, line := range []string{"SET s text", "RPUSH l a b 3", "SADD i 1 2 3", "SADD t a b", "ZADD z 1.5 a 2 b", "HSET h f v g w",
		"XADD x 1-1 f v", "XGROUP CREATE x g 0", "XREADGROUP GROUP g c STREAMS x >", "PFADD p a b", "PEXPIREAT s 4102444800000",
		"BGREWRITEAOF"} {
		do(t, e, line)
	}
	untilInfo(t, e, "aof_rewrite_in_progress", "0")
	for _, line := range []string{"APPEND s more", "INCRBYFLOAT n 1.5", "PEXPIREAT l 4102444900000"} {
		do(t, e, line)
	}
	_, err := e.Eval(ctx, "redis.call('INCR', KEYS[1]) redis.call('RPUSH', KEYS[2], 'x', 'y')", []string{"count", "l"})
	require.NoError(t, err)
	do(t, e, "XADD x 2-1 f w")
	require.NoError(t, e.Close())
	files := map[string][]byte{}
	for _, name := range []string{baseName, incrName, manifestName} {
		files[name], err = os.ReadFile(filepath.Join(o.Dir, "appendonlydir", name))
		require.NoError(t, err)
	}
	return files
}

// startMeasured starts an engine from files in memory and returns the digest of its data set. The
// start must not take more memory than the limit.
func startMeasured(t *testing.T, files map[string][]byte) (digest string, err error) {
	t.Helper()
	d := newDisk(t)
	require.NoError(t, d.Mkdir("/data/appendonlydir"))
	for name, text := range files {
		f, err := d.Create("/data/appendonlydir/" + name)
		require.NoError(t, err)
		_, err = f.Write(text)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e, err := open(d)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(damageLimit))
	if err != nil {
		return "", err
	}
	defer func() { require.NoError(t, e.Close()) }()
	require.NoError(t, e.Check(ctx))
	return do(t, e, "DEBUG DIGEST"), nil
}

// oracleStart starts a redis-server from files and returns the digest of its data set; ok is false
// if it refuses them.
func oracleStart(t *testing.T, bin string, files map[string][]byte) (digest string, ok bool) {
	t.Helper()
	dir, err := os.MkdirTemp("", "aof")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "appendonlydir"), 0o700))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "appendonlydir", name), text, 0o600))
	}
	socket := filepath.Join(dir, "s")
	cmd := exec.CommandContext(t.Context(), bin, "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--appendonly", "yes",
		"--enable-debug-command", "yes")
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	defer func() { _ = cmd.Process.Kill(); <-ended }()
	err = patience.Try(func() error {
		select {
		case <-ended:
			return nil
		default:
		}
		c, err := net.Dial("unix", socket)
		if err != nil {
			return err
		}
		defer c.Close()
		r := resp.NewDecoder(bufio.NewReader(c))
		for _, args := range [][]string{{"DBSIZE"}, {"DEBUG", "DIGEST"}} { // DBSIZE: DEBUG does not wait for the load
			if _, err := c.Write(resp.AppendCommand(nil, args...)); err != nil {
				return err
			}
			v, err := r.Decode()
			if err == nil {
				err = v.Err()
			}
			if err != nil {
				return err
			}
			digest = v.Text()
		}
		return nil
	})
	require.NoError(t, err)
	select {
	case <-ended:
		return "", false
	default:
		return digest, true
	}
}

// variations calls try for each truncation of a text and for each byte changed by each pattern.
// REDMOON_MASKS=n sets how many patterns there are. asked is true for those about which the oracle
// is asked: all if there is more than one pattern.
func variations(t *testing.T, text []byte, try func(name string, damaged []byte, cut, asked bool)) {
	n, err := strconv.Atoi(os.Getenv("REDMOON_MASKS"))
	if err != nil {
		n = 1
	}
	all := []byte{2, 0x80, 1, 4, 8, 16, 32, 64, 0xff, 0x55}
	require.True(t, n >= 1 && n <= len(all), "REDMOON_MASKS")
	for i := range text {
		asked := n > 1 || i%60 == 7
		try(fmt.Sprint(i, " bytes"), text[:i], true, asked)
		for _, mask := range all[:n] {
			damaged := bytes.Clone(text)
			damaged[i] ^= mask
			try(fmt.Sprint("byte ", i, " ^ ", mask), damaged, false, asked)
		}
	}
}

// A damaged base is refused, or gives the same data: it has a checksum.
func TestDamagedBase(t *testing.T) {
	files := sampleFiles(t)
	want, err := startMeasured(t, files)
	require.NoError(t, err)
	variations(t, files[baseName], func(name string, damaged []byte, _, _ bool) {
		changed := map[string][]byte{baseName: damaged, incrName: files[incrName], manifestName: files[manifestName]}
		got, err := startMeasured(t, changed)
		switch {
		case len(damaged) == 0: // an empty file has nothing to load, as in Redis
		case err != nil:
			require.ErrorContains(t, err, baseName, name)
		default:
			require.Equal(t, want, got, name)
		}
	})
}

// A torn incremental file gives the data of the commands before the tear. A damaged one is refused
// wherever redis-server refuses it, and what both load is the same.
func TestDamagedIncrement(t *testing.T) {
	bin, err := redistest.Find()
	if err != nil {
		redistest.Need(t)
	}
	files := sampleFiles(t)
	with := func(incr []byte) map[string][]byte {
		return map[string][]byte{baseName: files[baseName], incrName: incr, manifestName: files[manifestName]}
	}
	var digests []string // after each byte
	variations(t, files[incrName], func(name string, damaged []byte, cut, asked bool) {
		got, err := startMeasured(t, with(damaged))
		if cut {
			require.NoError(t, err, name)
			if n := len(digests); n == 0 || digests[n-1] != got {
				require.NotContains(t, digests, got, name)
				digests = append(digests, got)
			}
		} else if err != nil {
			require.ErrorContains(t, err, incrName, name)
		}
		if !asked || cut && inTransaction(damaged) {
			return
		}
		want, ok := oracleStart(t, bin, with(damaged))
		switch {
		case err == nil && !ok:
			t.Errorf("%s: redis-server refuses it: %q", name, damaged)
		case err == nil:
			require.Equal(t, want, got, name)
		case ok:
			require.ErrorContains(t, err, "Bad file format", name)
		}
	})
	require.Len(t, digests, 5, "the base, three commands and a script; the last command is never whole")
}

// inTransaction reports whether a file ends within a transaction. redis-server keeps the part of it
// that is whole; an engine cuts it off.
func inTransaction(file []byte) bool {
	return strings.Count(string(file), "MULTI") > strings.Count(string(file), "\r\nEXEC\r\n")
}

// A damaged manifest is refused, or gives the same data, except as in Redis: whole lines may be
// missing, and an increment may become superseded. A missing file is an error.
func TestDamagedManifest(t *testing.T) {
	files := sampleFiles(t)
	want, err := startMeasured(t, files)
	require.NoError(t, err)
	variations(t, files[manifestName], func(name string, damaged []byte, cut, _ bool) {
		got, err := startMeasured(t, map[string][]byte{baseName: files[baseName], incrName: files[incrName], manifestName: damaged})
		if err == nil && !(cut && bytes.HasSuffix(damaged, []byte("\n"))) && !strings.Contains(string(damaged), "type h") {
			require.Equal(t, want, got, name)
		}
	})
	delete(files, incrName)
	_, err = startMeasured(t, files)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
