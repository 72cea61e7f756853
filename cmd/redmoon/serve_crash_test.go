//go:build linux

package main

import (
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

// TestSignalsOfACrash sends signals as after a crash. Both end by the signal, and report it unless
// crash-log-enabled is off.
func TestSignalsOfACrash(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, sig := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGABRT, syscall.SIGQUIT} {
		for _, how := range []string{"yes", "no", "set yes", "set no"} {
			play := func(program string) (state string, reported bool) {
				word, set := strings.CutPrefix(how, "set ")
				start := word
				if set {
					start = map[string]string{"yes": "no", "no": "yes"}[word]
				}
				p := startProcess(t, program, nil, "--crash-log-enabled", start)
				if set {
					require.Equal(t, "OK", p.ask(t, "CONFIG", "SET", "crash-log-enabled", word))
				}
				require.NoError(t, p.Process.Signal(sig))
				_ = p.Wait() // the state says how it has ended
				log := p.log()
				reported = strings.Contains(log, "REPORT START")
				require.Equal(t, reported, strings.Contains(log, "redis_version:7.0.15\n") || strings.Contains(log, "redis_version:7.0.15\r\n"), log)
				return p.ProcessState.String(), reported
			}
			state, reported := play(theirs)
			ourState, ourReport := play(ours)
			if sig != syscall.SIGSEGV && strings.Contains(state, syscall.SIGSEGV.String()) { // the report of redis-server has failed itself
				state = "signal: " + sig.String()
			}
			// A core file depends on where the process runs.
			require.Equal(t, strings.TrimSuffix(state, " (core dumped)"), strings.TrimSuffix(ourState, " (core dumped)"), "%v, %s", sig, how)
			require.Equal(t, reported, ourReport, "%v, %s", sig, how)
		}
	}
}

// TestCrashReport reads the report of a server that has a client, and the stacks that Go's runtime
// writes when it fails itself.
func TestCrashReport(t *testing.T) {
	p := startProcess(t, linkedProgram(t), nil)
	require.Equal(t, "OK", p.ask(t, "SET", "k", "v"))
	c, err := net.Dial("tcp", "127.0.0.1:"+p.port)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte("BLPOP list 0\r\n"))
	require.NoError(t, err)
	patience.Until(t, func() bool { return strings.Contains(p.ask(t, "CLIENT", "LIST"), "cmd=blpop") })
	require.NoError(t, p.Process.Signal(syscall.SIGSEGV))
	_ = p.Wait() // the log says how it has ended
	for _, part := range []string{"Signal 11 (segmentation fault) ends process", serverVersion(), "goroutine ", "cmd=blpop", "# Keyspace",
		"=== REDMOON CRASH REPORT END ===\n"} {
		require.Contains(t, p.log(), part)
	}

	p = startProcess(t, linkedProgram(t), nil)
	require.NoError(t, p.Process.Signal(syscall.SIGSYS)) // the runtime takes it for a failure of its own
	require.Error(t, p.Wait())
	require.Contains(t, p.log(), "SIGSYS: bad system call")
	require.Contains(t, p.log(), "goroutine ")
}
