package persist_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/damage"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
)

// badMaster is a master whose copies cannot be loaded. It counts them.
func badMaster(t *testing.T, copied string) (port string, copies *atomic.Int32) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	copies = new(atomic.Int32)
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				r := bufio.NewReader(nc)
				for {
					args, err := readCommand(r)
					if err != nil {
						return
					}
					switch strings.ToUpper(args[0]) {
					case "PING":
						fmt.Fprint(nc, "+PONG\r\n")
					case "PSYNC":
						fmt.Fprintf(nc, "+FULLRESYNC %040d 0\r\n$%d\r\n%s", 7, len(copied), copied)
						copies.Add(1)
					default:
						fmt.Fprint(nc, "+OK\r\n")
					}
				}
			}()
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port, copies
}

// readCommand reads a command as a replica sends it.
func readCommand(r *bufio.Reader) ([]string, error) {
	number := func() (int, error) {
		line, err := r.ReadString('\n')
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(line[1:]))
	}
	n, err := number()
	if err != nil {
		return nil, err
	}
	args := make([]string, n)
	for i := range args {
		size, err := number()
		if err != nil {
			return nil, err
		}
		b := make([]byte, size+2)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		args[i] = string(b[:size])
	}
	return args, nil
}

// A copy of a master that cannot be loaded leaves the files of the replica as they are: they are
// all that is left of its data.
func TestFilesStayWhenACopyFails(t *testing.T) {
	whole := t.TempDir()
	require.NoError(t, damage.Write(whole, false))
	dump, err := os.ReadFile(filepath.Join(whole, damage.Dump))
	require.NoError(t, err)
	end := len(dump) - 1
	for name, copied := range map[string]string{
		"half":     string(dump[:len(dump)/2]) + strings.Repeat("x", len(dump)-len(dump)/2),
		"checksum": string(dump[:end]) + string([]byte{dump[end] ^ 1}),
		"garbage":  strings.Repeat("garbage ", 20), "a later version": strings.Replace(string(dump), "REDIS0010", "REDIS0099", 1),
	} {
		for _, appendOnly := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, append-only %v", name, appendOnly), func(t *testing.T) {
				dir := t.TempDir()
				require.NoError(t, damage.Write(dir, appendOnly))
				before := content(t, dir)
				port, copies := badMaster(t, copied)
				e := start(t, persist.Options{Dir: dir, AppendOnly: appendOnly, Save: "1 1"})
				do(t, e, "REPLICAOF 127.0.0.1 "+port)
				patience.Until(t, func() bool { return copies.Load() >= 2 }, "the replica tries again")
				require.Equal(t, before, content(t, dir))
				require.NoError(t, e.Close())
				require.Equal(t, before, content(t, dir))
				e = start(t, persist.Options{Dir: dir, AppendOnly: appendOnly})
				require.Equal(t, "1", do(t, e, "GET abc"))
				require.NoError(t, e.Close())
			})
		}
	}
}

// A replica that becomes a master writes an append-only file again, also if no copy was loaded.
func TestAPromotedReplicaWritesAgain(t *testing.T) {
	dir := t.TempDir()
	port, copies := badMaster(t, strings.Repeat("garbage ", 20))
	e := start(t, persist.Options{Dir: dir, AppendOnly: true})
	do(t, e, "SET old 1")
	do(t, e, "REPLICAOF 127.0.0.1 "+port)
	patience.Until(t, func() bool { return copies.Load() >= 1 }, "a copy is sent")
	patience.Until(t, func() bool { // it may be loading
		_, err := e.DoStrings(ctx, "REPLICAOF", "NO", "ONE")
		return err == nil
	}, "the replica becomes a master")
	do(t, e, "SET new 1")
	patience.Until(t, func() bool {
		text := do(t, e, "INFO persistence")
		return strings.Contains(text, "aof_enabled:1") && strings.Contains(text, "aof_rewrite_in_progress:0")
	}, "the append-only file is written again")
	require.NoError(t, e.Close())
	e = start(t, persist.Options{Dir: dir, AppendOnly: true})
	require.Equal(t, "1", do(t, e, "GET new"))
	require.NoError(t, e.Close())
}
