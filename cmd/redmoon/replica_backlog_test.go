//go:build linux

package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// TestTheBacklogKeepsWhatASlowReplicaNeeds compares whether another replica can continue at a place
// that is further back than repl-backlog-size: as long as a replica that does not read has not got
// beyond it.
func TestTheBacklogKeepsWhatASlowReplicaNeeds(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for name, program := range map[string]string{"redis-server": theirs, "redmoon": ours} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProcess(t, program, nil, "--repl-diskless-sync-delay", "0", "--repl-backlog-size", "100kb", "--repl-timeout", "36000",
				"--save", "")
			slow := &shutdownRun{t: t, p: p, clients: map[string]*shutdownClient{}}
			slow.replica(true)
			value := strings.Repeat("x", 1<<20)
			write := func(n int) {
				for range n {
					require.Equal(t, "OK", p.ask(t, "SET", "k", value))
				}
			}
			history := func() int64 {
				n, err := strconv.ParseInt(slow.info("repl_backlog_histlen"), 10, 64)
				require.NoError(t, err)
				return n
			}
			// resume asks to continue some bytes before the end, and returns the first word of the answer.
			resume := func(back int64) string {
				nc, err := net.Dial("tcp", "127.0.0.1:"+p.port)
				require.NoError(t, err)
				peer := newFakePeer(t, nc)
				defer nc.Close()
				offset, err := strconv.ParseInt(slow.info("master_repl_offset"), 10, 64)
				require.NoError(t, err)
				peer.say("REPLCONF capa eof capa psync2\r\n") // no file is written
				require.Equal(t, "+OK\r\n", peer.line())
				peer.say(fmt.Sprintf("PSYNC %s %d\r\n", slow.info("master_replid"), offset+1-back))
				line := peer.line()
				for line == "\n" {
					line = peer.line()
				}
				return strings.Fields(line)[0]
			}
			write(40)
			require.Greater(t, history(), int64(20<<20))
			require.Equal(t, "+CONTINUE", resume(10<<20))
			require.NoError(t, slow.replicas[0].Close())
			slow.replicas = nil
			patience.Until(t, func() bool { // redis-server gives back a few blocks at each command
				write(1)
				return history() < 3<<20
			})
			require.Equal(t, "+FULLRESYNC", resume(10<<20))
		})
	}
}
