//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// ending waits until p has ended, and returns how, with its log.
func (p *serverProcess) ending() []string {
	_ = p.Wait() // the state says how it has ended
	log := linesOfChild.ReplaceAllString(p.log(), "$1")
	log = seconds.ReplaceAllString(variable.ReplaceAllString(strings.ReplaceAll(log, p.port, "PORT"), "$1 N"), "N seconds")
	return []string{p.ProcessState.String(), strings.ReplaceAll(log, p.dir, "DIR")}
}

// notifySocket is a socket of systemd.
func notifySocket(t *testing.T) (c *net.UnixConn, path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "redmoon") // t.TempDir may be too long for a socket's path
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path = filepath.Join(dir, "notify")
	c, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c, path
}

// heardUntil reads the messages that come to a socket, up to last.
func heardUntil(t *testing.T, c *net.UnixConn, last string) (messages []string) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(patience.Deadline()))
	b := make([]byte, 4096)
	for {
		n, err := c.Read(b)
		require.NoError(t, err, "%q", messages)
		messages = append(messages, string(b[:n]))
		if messages[len(messages)-1] == last {
			return messages
		}
	}
}

// heard returns the messages that are in the buffer of a socket, when the server has ended.
func heard(t *testing.T, c *net.UnixConn) (messages []string) {
	t.Helper()
	const last = "no message of the server comes after this one"
	w, err := net.Dial("unixgram", c.LocalAddr().String())
	require.NoError(t, err)
	defer w.Close()
	_, err = w.Write([]byte(last))
	require.NoError(t, err)
	messages = heardUntil(t, c, last)
	return messages[:len(messages)-1]
}

// TestSystemdIsNotified compares what a server sends to the socket of systemd from its start to its
// end, and how it ends.
func TestSystemdIsNotified(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, supervised := range []string{"systemd", "auto"} {
		for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGUSR1} {
			for _, more := range [][]string{nil, {"--save", "900 1"}, {"--appendonly", "yes"}, {"--loglevel", "warning", "--save", "900 1"}} {
				play := func(program string) []string {
					c, path := notifySocket(t)
					args := append([]string{"--supervised", supervised, "--daemonize", "yes"}, more...)
					p := launch(t, program, []string{"NOTIFY_SOCKET=" + path}, args...)
					messages := heardUntil(t, c, "READY=1\n")
					require.NoError(t, p.Process.Signal(end))
					ending := append(p.ending(), messages...)
					if len(more) > 0 && more[0] == "--appendonly" {
						ending[1] = "" // TestFilesOfRedis compares the lines about the file
					}
					return append(ending, heard(t, c)...)
				}
				require.Equal(t, play(theirs), play(ours), "%s, %v, %v", supervised, end, more)
			}
		}
	}
}

// TestSystemdIsNotifiedOfCopies compares what a replica sends to systemd.
func TestSystemdIsNotifiedOfCopies(t *testing.T) {
	theirs, ours := bothPrograms(t)
	master, err := redistest.Start("--repl-diskless-sync-delay", "0")
	require.NoError(t, err)
	t.Cleanup(master.Stop)
	host, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	play := func(program string) []string {
		c, path := notifySocket(t)
		p := launch(t, program, []string{"NOTIFY_SOCKET=" + path}, "--supervised", "systemd", "--replicaof", host+" "+port)
		p.logged(t, "sync: Finished with success")
		require.Equal(t, "1", p.ask(t, "CLIENT", "KILL", "TYPE", "master"))
		p.logged(t, "accepted a Partial Resynchronization")
		require.Equal(t, "OK", p.ask(t, "REPLICAOF", "NO", "ONE"))
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		_ = p.Wait() // what it has sent says that it has ended
		return heard(t, c)
	}
	want := play(theirs)
	require.Len(t, want, 6, "%q", want)
	require.Equal(t, want, play(ours))
}

// sortedEnding is ending with sorted lines, for a signal that may come before the last messages to
// systemd.
func (p *serverProcess) sortedEnding() []string {
	ending := p.ending()
	lines := strings.Split(ending[1], "\n")
	slices.Sort(lines)
	return append(lines, ending[0])
}

// TestSystemdIsMissing gives sockets that do not exist.
func TestSystemdIsMissing(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, socket := range []string{"", "relative", "/nosuch/socket", "@redmoon-nosuch", "/dev/null"} {
		play := func(program string) []string {
			p := startProcess(t, program, []string{"NOTIFY_SOCKET=" + socket}, "--supervised", "systemd")
			require.NoError(t, p.Process.Signal(syscall.SIGTERM))
			return p.sortedEnding()
		}
		require.Equal(t, play(theirs), play(ours), "%q", socket)
	}
	t.Setenv("NOTIFY_SOCKET", "")
	require.NoError(t, os.Unsetenv("NOTIFY_SOCKET"))
	play := func(program string) []string {
		p := startProcess(t, program, nil, "--supervised", "systemd")
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		return p.sortedEnding()
	}
	require.Equal(t, play(theirs), play(ours))
}

// TestUpstartLetsTheServerGoOn checks that the server stops itself until upstart lets it go on.
func TestUpstartLetsTheServerGoOn(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, how := range [][2]string{{"upstart", "redis"}, {"auto", "redis"}, {"auto", ""}} {
		play := func(program string) []string {
			p := launch(t, program, []string{"UPSTART_JOB=" + how[1], "NOTIFY_SOCKET=x"}, "--supervised", how[0], "--daemonize", "yes")
			require.NoError(t, patience.Try(func() error {
				if state := p.state(); state != "T" {
					return fmt.Errorf("the state is %q", state)
				}
				return nil
			}))
			require.NoError(t, p.Process.Signal(syscall.SIGCONT))
			p.logged(t, readyLine)
			require.NoError(t, p.Process.Signal(syscall.SIGTERM))
			return p.ending()
		}
		require.Equal(t, play(theirs), play(ours), "%q", how)
	}
	t.Setenv("UPSTART_JOB", "")
	require.NoError(t, os.Unsetenv("UPSTART_JOB"))
	play := func(program string) []string {
		p := startProcess(t, program, nil, "--supervised", "upstart")
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		return p.ending()
	}
	require.Equal(t, play(theirs), play(ours))
}

// state is the letter of the state of the process; T is stopped.
func (p *serverProcess) state() string {
	text := readFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	_, after, _ := strings.Cut(text, ") ")
	return after[:min(1, len(after))]
}

// initScript starts and stops a daemon as the scripts of System V do.
const initScript = `
start() {
	start-stop-daemon --start --quiet $1 --umask 007 --pidfile "$DIR/pid" --exec "$DAEMON" -- "$DIR/redis.conf"
	echo "start $1: $?"
}
stop() {
	start-stop-daemon --stop --retry $1 --quiet $2 --pidfile "$DIR/pid" --exec "$DAEMON"
	echo "stop $2: $?"
	[ -e "$DIR/pid" ] && echo "the pidfile is there"
}
answers() {
	n=0
	until [ "$(redis-cli -p $PORT ping 2>/dev/null)" = PONG ]; do
		n=$((n + 1))
		[ $n -gt 6000 ] && echo "no answer" && return
		sleep 0.02
	done
	echo "it answers"
	[ "$(redis-cli -p $PORT info server | tr -d '\r' | sed -n 's/^process_id://p')" = "$(cat "$DIR/pid")" ] && echo "its pidfile"
}
stop TERM/30
stop TERM/30 --oknodo
[ -n "$STALE" ] && echo "$STALE" >"$DIR/pid"
start --oknodo
answers
start
start --oknodo
answers
redis-cli -p $PORT set k v
stop forever/TERM/1
start
answers
redis-cli -p $PORT get k
pid=$(cat "$DIR/pid")
kill -KILL $pid
until [ ! -e /proc/$pid ] || {
	grep -q "^State:.Z" /proc/$pid/status && [ "$(ls /proc/$pid/task)" = $pid ]
} 2>/dev/null; do sleep 0.01; done
start
answers
redis-cli -p $PORT get k
redis-cli -p $PORT shutdown
stop TERM/30 --oknodo
ls "$DIR"
`

// TestInitScript starts and stops both with a script and a pidfile, also one that another process
// has left behind.
func TestInitScript(t *testing.T) {
	if _, err := exec.LookPath("start-stop-daemon"); err != nil {
		t.Skip("start-stop-daemon, which scripts of System V use, is not installed")
	}
	redistest.NeedProgram(t, "redis-cli")
	theirs, ours := bothPrograms(t)
	for _, stale := range []string{"", "999999999", strconv.Itoa(os.Getppid()), "text"} {
		play := func(program string) string {
			dir := patience.TempDir(t)
			port := redistest.HeldPort(t)
			at := func(name string) string { return filepath.Join(dir, name) }
			require.NoError(t, os.WriteFile(at("redis.conf"), []byte("daemonize yes\nbind 127.0.0.1\nport "+port+"\ndir "+dir+"\npidfile "+
				at("pid")+"\nlogfile "+at("log")+"\nsave 3600 1\n"), 0o600))
			t.Cleanup(func() {
				if pid, err := strconv.Atoi(strings.TrimSpace(readFile(at("pid")))); err == nil && pid != os.Getppid() {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			})
			cmd := exec.Command("/bin/sh", "-c", initScript)
			cmd.Env = append(os.Environ(), "DIR="+dir, "PORT="+port, "DAEMON="+program, "STALE="+stale)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			return string(out)
		}
		want := play(theirs)
		require.Contains(t, want, "it answers\nits pidfile\n")
		require.Equal(t, want, play(ours), "pidfile %q", stale)
	}
}

// TestPlacesThatCannotBeWritten starts both where they cannot write their pidfile.
func TestPlacesThatCannotBeWritten(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, pidfile := range []string{"/nosuch/pid", "/proc/pid", "/"} {
		play := func(program string) []string {
			p := startProcess(t, program, nil, "--pidfile", pidfile)
			require.NoError(t, p.Process.Signal(syscall.SIGTERM))
			return p.ending()
		}
		require.Equal(t, play(theirs), play(ours), pidfile)
	}
}

// TestDebiansConfigurationFile starts both with the file that Debian's package installs, as its
// service does. Only places are overridden. All parameters have the same values.
func TestDebiansConfigurationFile(t *testing.T) {
	const file = "/etc/redis/redis.conf"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("the package redis-server of Debian is not installed, or its file cannot be read: %v", err)
	}
	theirs, ours := bothPrograms(t)
	started := func(program string) (config map[string]string, ending []string) {
		c, path := notifySocket(t)
		dir := patience.TempDir(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "redis.conf"), text, 0o600))
		p := launchIn(t, dir, program, []string{"NOTIFY_SOCKET=" + path}, filepath.Join(dir, "redis.conf"), "--supervised", "systemd",
			"--daemonize", "no", "--pidfile", filepath.Join(dir, "pid"))
		p.logged(t, readyLine)
		config = p.config(t)
		require.Equal(t, "OK", p.ask(t, "SET", "k", "v"))
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		ending = append(p.ending(), heard(t, c)...)
		require.FileExists(t, filepath.Join(dir, "dump.rdb"))
		require.NoFileExists(t, filepath.Join(dir, "pid"))
		return config, ending
	}
	want, wantEnding := started(theirs)
	require.Greater(t, len(want), 180)
	got, ending := started(ours)
	require.Equal(t, want, got)
	require.Equal(t, wantEnding, ending)
}

// TestDefaultsOfRedis compares all parameters of servers without a configuration.
func TestDefaultsOfRedis(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, args := range [][]string{nil, {"--cluster-enabled", "yes"}, {"--maxmemory", "100mb", "--maxclients", "50"}} {
		want, got := startProcess(t, theirs, nil, args...).config(t), startProcess(t, ours, nil, args...).config(t)
		require.Greater(t, len(want), 180)
		require.Equal(t, want, got, "%q", args)
	}
}

// config is what CONFIG GET * answers, without the port and the directory.
func (p *serverProcess) config(t *testing.T) map[string]string {
	t.Helper()
	v, err := p.do("CONFIG", "GET", "*")
	require.NoError(t, err)
	all := map[string]string{}
	for pair := v.Slice(); len(pair) > 1; pair = pair[2:] {
		all[pair[0].Text()] = strings.ReplaceAll(pair[1].Text(), p.dir, "DIR")
	}
	require.Equal(t, p.port, all["port"])
	delete(all, "port")
	return all
}
