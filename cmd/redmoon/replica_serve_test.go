//go:build unix

package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// eventually polls until a condition comes true.
func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	patience.Until(t, condition)
}

// TestServeReplicaOf starts each program as the replica of the other, with a user of its own.
func TestServeReplicaOf(t *testing.T) {
	theirs, ours := bothPrograms(t)
	user := strings.Fields("--user copier on >secret +psync +replconf +ping")
	for name, programs := range map[string][2]string{"follows redis-server": {theirs, ours}, "redis-server follows": {ours, theirs}} {
		t.Run(name, func(t *testing.T) {
			master := startProgram(t, programs[0], append([]string{"--repl-diskless-sync-delay", "0"}, user...)...)
			require.Equal(t, "OK", doing(master, "SET", "before", strings.Repeat("v", 1000)))
			host, port, err := net.SplitHostPort(master.Addr)
			require.NoError(t, err)
			replica := startProgram(t, programs[1], "--replicaof", host, port, "--masteruser", "copier", "--masterauth", "secret",
				"--replica-announce-ip", "10.0.0.7")
			eventually(t, func() bool { return fieldsOf(replica, "master_link_status") == "master_link_status:up\n" })
			require.Equal(t, "OK", doing(master, "SET", "after", "1"))
			eventually(t, func() bool { return doing(replica, "GET", "after") == `"1"` })
			require.Equal(t, `["after" "before"]`+"\n", sortedKeys(replica))
			require.Contains(t, fieldsOf(master, "slave0"), "ip=10.0.0.7,port="+replica.Addr[len("127.0.0.1:"):]+",state=online")
			_, value, _ := strings.Cut(fieldsOf(replica, "total_net_repl_input_bytes"), ":")
			received, err := strconv.Atoi(strings.TrimSpace(value))
			require.NoError(t, err)
			require.Greater(t, received, 100)
			require.Contains(t, doing(replica, "SET", "k", "v"), "READONLY You can't write against a read only replica.")
		})
	}
}

// TestRedisCliCopies lets redis-cli take a copy, and follow as a replica does.
func TestRedisCliCopies(t *testing.T) {
	redistest.Need(t)
	cli := redistest.NeedProgram(t, "redis-cli")
	addrs, stop := serving(t, 1, "--addr", "127.0.0.1:0", "--repl-diskless-sync-delay", "0")
	require.Equal(t, "OK", ask(t, "tcp", addrs[0], "SET", "k", "v"))
	host, port, err := net.SplitHostPort(addrs[0])
	require.NoError(t, err)
	at := []string{"-h", host, "-p", port}
	for _, more := range [][]string{{"--rdb"}, {"--functions-rdb"}} {
		path := filepath.Join(t.TempDir(), "copy.rdb")
		out, err := exec.Command(cli, append(append(at, more...), path)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "Transfer finished with success")
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		loaded, err := rdbfile.Load(f, datastore.New(datastore.Options{}), rdbfile.Loading{})
		require.NoError(t, err)
		if more[0] == "--rdb" {
			require.Equal(t, 1, loaded.Keys)
		} else {
			require.Zero(t, loaded.Keys)
		}
	}

	follow := exec.Command(cli, append(at, "--replica")...)
	out, err := follow.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, follow.Start())
	t.Cleanup(func() { _ = follow.Process.Kill(); _ = follow.Wait() })
	eventually(t, func() bool { return strings.Contains(ask(t, "tcp", addrs[0], "INFO", "replication"), "state=online") })
	require.Equal(t, "OK", ask(t, "tcp", addrs[0], "SET", "another", "value"))
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "another") {
	}
	require.Equal(t, `"SET","another","value"`, lines.Text())
	require.NoError(t, follow.Process.Kill())
	require.Zero(t, stop())
}
