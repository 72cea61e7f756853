//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// linkedProgram returns the path of a link named redis-server to this program.
func linkedProgram(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "redis-server")
	require.NoError(t, os.Symlink(program, path))
	return path
}

// bothPrograms returns the paths of redis-server and of a link to this program with its name.
func bothPrograms(t *testing.T) (theirs, ours string) {
	t.Helper()
	redistest.Need(t)
	theirs, err := redistest.Find()
	require.NoError(t, err)
	return theirs, linkedProgram(t)
}

var (
	logHead = regexp.MustCompile(`(?m)^\d+:(?:([MSCX]) .*? ([.*#-])|(signal-handler) \(\d+\)) `)
	anyPID  = regexp.MustCompile(`pid=\d+`)
	clock   = regexp.MustCompile(`(?m)^[MS] \* monotonic clock: .*\n`)
	advice  = regexp.MustCompile(`(?m)^M # WARNING .*\n`) // about the machine
)

// withoutTimes takes from a log what differs between two processes.
func withoutTimes(log string) string {
	log = anyPID.ReplaceAllString(logHead.ReplaceAllString(log, "$1$3 $2 "), "pid=N")
	return advice.ReplaceAllString(clock.ReplaceAllString(log, ""), "")
}

// ended runs a program that ends by itself and returns its exit code and its output.
func ended(t *testing.T, dir, stdin, program string, args []string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		require.True(t, errors.As(err, &exit), "%v", err)
	}
	return fmt.Sprintf("exit code %d\n%s\n%s", cmd.ProcessState.ExitCode(), stderr.String(), withoutTimes(stdout.String()))
}

// TestCommandLinesOfRedis starts redis-server and a link named so with the same command lines. Port
// 0 ends both when they have read the configuration.
func TestCommandLinesOfRedis(t *testing.T) {
	theirs, ours := bothPrograms(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.conf":    "port 0\n# a comment\nmaxmemory 1gb\nsave 900 1\nsave 300 10\n",
		"bad.conf":     "port 0\n\nmaxmemory many\n",
		"quotes.conf":  "port 0\nrequirepass \"abc\n",
		"include.conf": "include bad.conf\n",
		"lost.conf":    "include nosuch.conf\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, c := range []struct {
		args  []string
		stdin string
	}{
		{args: []string{"good.conf"}},
		{args: []string{"good.conf", "--loglevel", "verbose", "--appendonly", "yes"}},
		{args: []string{"--port", "0"}},
		{args: []string{"--port", "0", "--save", "--appendonly", "yes"}},
		{args: []string{"--port 0", "--save", "3600 1 60 5"}},
		{args: []string{"--port", "0", "--rename-command", "GET", "LIES", "--rename-command", "FLUSHALL", ""}},
		{args: []string{"-"}, stdin: "port 0\n"},
		{args: []string{"good.conf", "--maxmemory", "2gb", "-"}, stdin: "timeout 5\n"},
		{args: []string{"bad.conf"}},
		{args: []string{"quotes.conf"}},
		{args: []string{"include.conf"}},
		{args: []string{"lost.conf"}},
		{args: []string{"nosuch.conf"}},
		{args: []string{"-"}, stdin: "port 0\nnosuch 1\n"},
		{args: []string{"--nosuch", "1"}},
		{args: []string{"--port", "abc"}},
		{args: []string{"--port", "0", "good.conf"}},
		{args: []string{"--port", "0", "--port"}},
		{args: []string{"--port", "0", "--save", "a", "b"}},
		{args: []string{"--port", "0", "--dir", "/nosuch"}},
		{args: []string{"--port", "0", "--loglevel", "loud"}},
		{args: []string{"--port", "0", "--daemonize", "maybe"}},
		{args: []string{"--port", "0", "--rename-command", "NOSUCH", "X"}},
		{args: []string{"--port", "0", "--rename-command", "GET", "SET"}},
		{args: []string{"--port", "0", "--logfile", "/nosuch/log"}},
		{args: []string{"--port", "0", "--cluster-enabled", "yes", "--replicaof", "127.0.0.1", "1"}},
		{args: []string{"--port", "0", "--replicaof", "127.0.0.1 1"}},
		{args: []string{"-"}, stdin: "port 0\nreplicaof \"127.0.0.1 1\"\n"},
		{args: []string{"-"}, stdin: "port 0\nreplicaof \"127.0.0.1  1\"\n"},
		{args: []string{"-"}, stdin: "port 0\nreplicaof \" 127.0.0.1 1\"\n"},
		{args: []string{"-"}, stdin: "port 0\nreplicaof \"127.0.0.1 1 2\"\n"},
		{args: []string{"-"}, stdin: "port 0\nreplicaof \"no one\"\n"},
		{args: []string{"-"}, stdin: "port 0\nreplicaof \"\"\n"},
		{args: []string{"-"}, stdin: "port 0\nslaveof \"host x\"\n"},
		{args: []string{"--test-memory"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			want := ended(t, dir, c.stdin, theirs, c.args)
			require.Equal(t, want, ended(t, dir, c.stdin, ours, c.args))
		})
	}
}

// TestRenamedCommands sends commands by their new and old names to both.
func TestRenamedCommands(t *testing.T) {
	redistest.Need(t)
	renaming := []string{"--rename-command", "GET", "LIES", "--rename-command", "FLUSHALL", "", "--rename-command", "object", "thing",
		"--rename-command", "EVAL", "run"}
	oracle, err := redistest.Start(renaming...)
	require.NoError(t, err)
	t.Cleanup(oracle.Stop)
	addrs, stop := serving(t, 1, append([]string{"--addr", "127.0.0.1:0"}, renaming...)...)
	for _, args := range [][]string{
		{"SET", "k", "v"}, {"GET", "k"}, {"LIES", "k"}, {"lies", "k"}, {"Lies"}, {"FLUSHALL"}, {"OBJECT", "ENCODING", "k"},
		{"THING", "ENCODING", "k"}, {"thing", "nosuch"}, {"EVAL", "return 1", "0"}, {"RUN", "return redis.call('lies', 'k')", "0"},
		{"RUN", "return redis.call('get', 'k')", "0"}, {"RUN", "return redis.call('flushall')", "0"}, {"COMMAND", "GETKEYS", "LIES", "k"},
		{"COMMAND", "GETKEYS", "GET", "k"},
	} {
		v, err := oracle.Do(args...)
		want := v.Text()
		if err != nil { // an error reply
			want = err.Error()
		}
		require.Equal(t, want, ask(t, "tcp", addrs[0], args...), "%q", args)
	}
	require.Zero(t, stop())
}

// TestConfigSetMovesTheListener sets port and bind of a server that has clients.
func TestConfigSetMovesTheListener(t *testing.T) {
	addrs, stop := serving(t, 1, "--addr", "127.0.0.1:"+redistest.HeldPort(t))
	old, err := net.Dial("tcp", addrs[0])
	require.NoError(t, err)
	defer old.Close()
	port := redistest.HeldPort(t)
	at := "127.0.0.1:" + port
	require.Equal(t, "OK", ask(t, "tcp", addrs[0], "CONFIG", "SET", "port", port))
	require.Equal(t, "PONG", ask(t, "tcp", at, "PING"))
	require.Contains(t, ask(t, "tcp", at, "INFO", "server"), "tcp_port:"+port+"\r\n")
	_, err = net.Dial("tcp", addrs[0])
	require.Error(t, err, "nobody listens on the old port")
	_, err = old.Write([]byte("PING\r\n"))
	require.NoError(t, err)
	reply := make([]byte, 7)
	_, err = old.Read(reply)
	require.NoError(t, err)
	require.Equal(t, "+PONG\r\n", string(reply), "a connection through the old port stays open")

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	const failed = "ERR CONFIG SET failed (possibly related to argument '"
	require.Equal(t, failed+"port') - Unable to listen on this port. Check server logs.",
		ask(t, "tcp", at, "CONFIG", "SET", "port", strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)))
	require.Equal(t, failed+"bind') - Failed to bind to specified addresses.", ask(t, "tcp", at, "CONFIG", "SET", "bind", "192.0.2.1"))
	require.Equal(t, failed+"port') - Unable to listen on this port. Check server logs.",
		ask(t, "tcp", at, "CONFIG", "SET", "port", "1", "bind", "192.0.2.1"))
	require.Contains(t, ask(t, "tcp", at, "INFO", "server"), "tcp_port:"+port+"\r\n", "what failed changes nothing")
	require.Equal(t, "OK", ask(t, "tcp", at, "CONFIG", "SET", "bind", "127.0.0.1 -192.0.2.1"))
	require.Equal(t, "PONG", ask(t, "tcp", at, "PING"))
	require.Zero(t, stop())
}

// readFile returns the text of a file; "" if there is none.
func readFile(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

const readyLine = "Ready to accept connections"

// TestSIGTERMEndsTheServer compares the file of the process number, the exit code, the log and the
// files that remain with those of redis-server.
func TestSIGTERMEndsTheServer(t *testing.T) {
	theirs, ours := bothPrograms(t)
	terminated := func(program string) (log, files string) {
		dir := patience.TempDir(t)
		port := redistest.HeldPort(t)
		cmd := exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--pidfile", filepath.Join(dir, "pid"),
			"--logfile", filepath.Join(dir, "log"), "--rename-command", "SHUTDOWN", "")
		cmd.Dir = dir
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		patience.Until(t, func() bool { return strings.Contains(readFile(filepath.Join(dir, "log")), readyLine) })
		require.Equal(t, strconv.Itoa(cmd.Process.Pid)+"\n", readFile(filepath.Join(dir, "pid")))
		require.Equal(t, "OK", ask(t, "tcp", "127.0.0.1:"+port, "SET", "k", "v"))
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, cmd.Wait())
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			if e.Name() != ".redmoon.lock" { // of package persist
				files += e.Name() + " "
			}
		}
		return strings.ReplaceAll(withoutTimes(readFile(filepath.Join(dir, "log"))), port, "PORT"), files
	}
	log, files := terminated(theirs)
	ourLog, ourFiles := terminated(ours)
	require.Equal(t, log, ourLog)
	require.Equal(t, files, ourFiles)
	require.Contains(t, files, "dump.rdb")
	require.NotContains(t, files, "pid")
}

// A daemon runs after the program that was started has ended, without its terminal.
func TestServeLeavesTheTerminal(t *testing.T) {
	dir, ours := t.TempDir(), linkedProgram(t)
	port := redistest.HeldPort(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	cmd := exec.Command(ours, "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--daemonize", "yes", "--pidfile", at("pid"),
		"--logfile", at("log"), "--save", "")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out))
	patience.Until(t, func() bool { return strings.Contains(readFile(at("log")), readyLine) })
	pid, err := strconv.Atoi(strings.TrimSpace(readFile(at("pid"))))
	require.NoError(t, err)
	require.NotEqual(t, cmd.Process.Pid, pid)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	require.Equal(t, "PONG", ask(t, "tcp", "127.0.0.1:"+port, "PING"))
	require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))
	patience.Until(t, func() bool { return strings.Contains(readFile(at("log")), "bye bye") })
	require.NoFileExists(t, at("pid"))
}
