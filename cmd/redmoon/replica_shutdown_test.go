//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// shutdownPlay is a shutdown of a master whose replicas the test plays. Its steps are:
//
//   - "replica": one more replica, which has acknowledged everything; "asks": one whose copy is
//     not made before repl-diskless-sync-delay is over
//   - "ack 0 -5": replica 0 acknowledges all but 5 bytes; "cut 0": it hangs up
//   - "a: PING": client a sends a command and gets its reply; "a> PING": it sends the command only;
//     "a?": it gets the reply, or the end of the connection
//   - "until-clients 2": 2 clients are blocked; "until-busy": the script of a client is busy
//   - "mkdir": no dump can be written; "signal TERM"
//   - "until TEXT": the log has a line with the text; "until-twice TEXT": it has two
//   - "info": the field of INFO about the shutdown
//   - "exit": the process ends
//
// A client whose SHUTDOWN has failed after a wait sends nothing more: redis-server 7.0.15 crashes
// at its next command.
type shutdownPlay struct {
	name  string
	args  []string
	steps string // separated by semicolons
}

var shutdownPlays = []shutdownPlay{
	{name: "in sync", steps: "replica; a: SET a 1; ack 0 0; b> SHUTDOWN; b?; exit"},
	{name: "no replica", steps: "a: SET a 1; b> SHUTDOWN; b?; exit"},
	{name: "behind until it acknowledges", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; info; a: GET a; " +
		"a> SET b 1; c: PING; ack 0 -1; c: PING; ack 0 0; b?; a?; exit"},
	{name: "behind until the time is over", args: []string{"--shutdown-timeout", "1"},
		steps: "replica; replica; a: SET a 1; ack 1 0; b> SHUTDOWN; until Waiting for replicas; b?; exit"},
	{name: "behind until it leaves", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; cut 0; b?; exit"},
	{name: "the time is changed", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; " +
		"a: CONFIG SET shutdown-timeout 1; info; " +
		"a: SHUTDOWN ABORT; b?; info; c> SHUTDOWN; c?; exit"},
	{name: "no time", args: []string{"--shutdown-timeout", "0"}, steps: "replica; a: SET a 1; b> SHUTDOWN; b?; exit"},
	{name: "NOW", steps: "replica; a: SET a 1; b> SHUTDOWN NOW; b?; exit"},
	{name: "NOSAVE", args: []string{"--save", "3600", "1"}, steps: "replica; a: SET a 1; b> SHUTDOWN NOSAVE; until Waiting for replicas; " +
		"ack 0 0; b?; exit"},
	{name: "SAVE", steps: "replica; a: SET a 1; b> SHUTDOWN SAVE; until Waiting for replicas; ack 0 0; b?; exit"},
	{name: "save points", args: []string{"--save", "3600", "1"}, steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; " +
		"ack 0 0; b?; exit"},
	{name: "ABORT", steps: "replica; a: SET a 1; a: SHUTDOWN ABORT; b> SHUTDOWN; until Waiting for replicas; a> SET b 1; c> SHUTDOWN; " +
		"d: SHUTDOWN ABORT; a?; b?; c?; info; d: SHUTDOWN ABORT; d: INFO errorstats; a: SET c 1; " +
		"d> SHUTDOWN NOW; d?; exit"},
	{name: "again while it waits", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; c> SHUTDOWN NOW; " +
		"d> SHUTDOWN FORCE NOSAVE; a: PING; ack 0 0; b?; c?; d?; exit"},
	{name: "syntax while it waits", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; c: SHUTDOWN SAVE NOSAVE; " +
		"c: SHUTDOWN NOW ABORT; c: SHUTDOWN ABORT ABORT; c: SHUTDOWN ABORT NOSAVE; c: SHUTDOWN x; b?; c> SHUTDOWN NOW; c?; exit"},
	{name: "in transactions and scripts", steps: "replica; a: SET a 1; a: MULTI; a: SHUTDOWN; a: EXEC; " +
		"a: EVAL return+redis.call('shutdown') 0; a: EVAL return+redis.pcall('shutdown','abort').err 0; a> SHUTDOWN; " +
		"until Waiting for replicas; b: MULTI; b: SHUTDOWN ABORT; b: EXEC; b> EVAL return+1 0; b> PING; c: SHUTDOWN ABORT; a?; b?; b?; " +
		"c> SHUTDOWN NOW; c?; exit"},
	{name: "the client that asked leaves", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; " +
		"a: CLIENT KILL TYPE normal; info; ack 0 0; exit"},
	{name: "blocked clients", steps: "replica; a: SET a 1; c> BLPOP l 0; d: SET d 1; d> WAIT 1 0; until-clients 2; b> SHUTDOWN; " +
		"until Waiting for replicas; a> RPUSH l x; e> WAIT 0 0; e?; ack 0 0; d?; c?; a?; b?; exit"},
	{name: "CLIENT PAUSE too", args: []string{"--shutdown-timeout", "1"}, steps: "replica; a: SET a 1; a: CLIENT PAUSE 100000 ALL; " +
		"b> SHUTDOWN; signal TERM; until Waiting for replicas; b?; exit"},
	{name: "a pause that ends", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; a: CLIENT PAUSE 10000 WRITE; " +
		"a: CLIENT UNPAUSE; a> SET b 1; c: PING; ack 0 0; a?; b?; exit"},
	{name: "SIGTERM", steps: "replica; a: SET a 1; signal TERM; until Waiting for replicas; info; a> SET b 1; c: PING; ack 0 0; a?; exit"},
	{name: "SIGINT", steps: "replica; a: SET a 1; signal INT; until Waiting for replicas; ack 0 0; exit"},
	{name: "SIGINT twice", steps: "replica; a: SET a 1; signal INT; until Waiting for replicas; signal INT; exit"},
	{name: "SIGINT after SHUTDOWN", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; signal INT; until Received; " +
		"info; signal INT; b?; exit"},
	{name: "SIGTERM twice", steps: "replica; a: SET a 1; signal TERM; until Waiting for replicas; signal TERM; " +
		"until-twice Received; ack 0 0; exit"},
	{name: "SIGTERM with options", args: []string{"--shutdown-on-sigterm", "now"}, steps: "replica; a: SET a 1; signal TERM; exit"},
	{name: "SIGTERM aborted", steps: "replica; a: SET a 1; signal TERM; until Waiting for replicas; a: SHUTDOWN ABORT; info; a: SET b 1; " +
		"a: SHUTDOWN ABORT; ack 0 0; signal INT; exit"},
	{name: "a copy is asked for", args: []string{"--repl-diskless-sync-delay", "3600", "--shutdown-timeout", "1"},
		steps: "asks; a: SET a 1; b> SHUTDOWN; b?; exit"},
	{name: "DEBUG and CLIENT UNBLOCK", steps: "replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; a: CLIENT LIST TYPE replica; " +
		"a: INFO clients; ack 0 0; b?; exit"},
	{name: "a full disk", steps: "replica; a: SET a 1; mkdir; b> SHUTDOWN SAVE; " +
		"until Waiting for replicas; a> SET b 1; ack 0 0; b?; a?; info; ack 0 0; " +
		"c> SHUTDOWN SAVE FORCE; c?; exit"},
}

// shutdownRun is a play with one program.
type shutdownRun struct {
	t        *testing.T
	p        *serverProcess
	replicas []*fakePeer
	clients  map[string]*shutdownClient
	out      strings.Builder
}

// shutdownClient is a client of the master.
type shutdownClient struct {
	*fakePeer
	replies *resp.Decoder
}

func (r *shutdownRun) dial() *fakePeer {
	nc, err := net.Dial("tcp", "127.0.0.1:"+r.p.port)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = nc.Close() })
	return newFakePeer(r.t, nc)
}

func (r *shutdownRun) client(name string) *shutdownClient {
	if r.clients[name] == nil {
		p := r.dial()
		r.clients[name] = &shutdownClient{p, resp.NewDecoder(p.in)}
	}
	return r.clients[name]
}

// send sends a command. A plus stands for a space.
func (r *shutdownRun) send(name, line string) {
	words := strings.Fields(line)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "+", " ")
	}
	r.client(name).say(string(resp.AppendCommand(nil, words...)))
}

// varying matches numbers in CLIENT LIST and INFO that differ between the programs.
var varying = regexp.MustCompile(`\b(id|addr|laddr|fd|age|idle|qbuf|qbuf-free|argv-mem|multi-mem|rbs|rbp|obl|oll|omem|tot-mem|lag)=` +
	`[^ ,\n]*|` +
	`(client_recent_max_\w+:)\d+|(replica )(?:client id #\d+|ADDRESS)|(temp-)\d+|(root dir )/[^)]*`)

func (r *shutdownRun) reply(name string) string {
	v, err := r.client(name).replies.Decode()
	if err != nil {
		require.NotErrorIs(r.t, err, os.ErrDeadlineExceeded)
		return "(closed)"
	}
	return varying.ReplaceAllString(v.String(), "$1$2$3$4$5")
}

func (r *shutdownRun) info(field string) string {
	_, rest, _ := strings.Cut(r.p.ask(r.t, "INFO", "everything"), "\r\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// until waits until the log has a text after the step before.
func (r *shutdownRun) until(text string) {
	r.t.Helper()
	require.NoError(r.t, patience.Try(func() error {
		if log := r.p.log(); !strings.Contains(log, text) {
			return fmt.Errorf("no line %q in the log:\n%s", text, log)
		}
		return nil
	}))
}

// untilRunning waits until redis-server has begun to do what it does every second. A replica that
// it has then gets a ping, which counts in offsets.
func (r *shutdownRun) untilRunning() {
	require.NoError(r.t, patience.Try(func() error {
		if r.info("used_memory_rss") == "0" {
			return errors.New("the memory has not been measured")
		}
		return nil
	}))
}

// replica adds a replica.
func (r *shutdownRun) replica(online bool) {
	p := r.dial()
	p.say("REPLCONF listening-port 777" + strconv.Itoa(len(r.replicas)) + " capa psync2\r\n")
	require.Equal(r.t, "+OK\r\n", p.line())
	if !online {
		p.say("REPLCONF capa eof\r\n")
		require.Equal(r.t, "+OK\r\n", p.line())
	}
	p.say("PSYNC ? -1\r\n")
	r.replicas = append(r.replicas, p)
	if !online {
		r.until("Delay next BGSAVE")
		return
	}
	require.Contains(r.t, p.line(), "+FULLRESYNC")
	line := p.line()
	for line == "\n" {
		line = p.line()
	}
	size, err := strconv.Atoi(strings.Trim(line, "$\r\n"))
	require.NoError(r.t, err)
	_, err = io.CopyN(io.Discard, p.in, int64(size))
	require.NoError(r.t, err)
	r.until(fmt.Sprintf("Synchronization with replica 127.0.0.1:777%d succeeded", len(r.replicas)-1))
	r.ack(len(r.replicas)-1, 0)
}

// ack acknowledges all that the master has, except behind bytes, and waits until the master has
// noticed. The master may end then.
func (r *shutdownRun) ack(i int, behind int64) {
	offset, err := strconv.ParseInt(r.info("master_repl_offset"), 10, 64)
	require.NoError(r.t, err)
	r.replicas[i].say(fmt.Sprintf("REPLCONF ACK %d\r\n", offset+behind))
	want := fmt.Sprintf("offset=%d,", offset+behind)
	require.NoError(r.t, patience.Try(func() error {
		nc, err := net.Dial("tcp", "127.0.0.1:"+r.p.port)
		if err != nil {
			return nil // it has ended
		}
		defer nc.Close()
		_, _ = io.WriteString(nc, "INFO replication\r\n")
		v, err := resp.NewDecoder(nc).Decode()
		if err == nil && !strings.Contains(v.Text(), want) {
			return fmt.Errorf("the master does not have %s:\n%s", want, v.Text())
		}
		return nil
	}))
}

func (r *shutdownRun) step(step string) {
	word, rest, _ := strings.Cut(step, " ")
	switch {
	case word == "replica" || word == "asks":
		r.replica(word == "replica")
	case word == "ack":
		i, behind, _ := strings.Cut(rest, " ")
		n, _ := strconv.ParseInt(behind, 10, 64)
		r.ack(number(i), n)
	case word == "cut":
		_ = r.replicas[number(rest)].Close()
	case strings.HasSuffix(word, ":"):
		name := strings.TrimSuffix(word, ":")
		r.send(name, rest)
		fmt.Fprintf(&r.out, "%s -> %s\n", step, r.reply(name))
	case strings.HasSuffix(word, ">"):
		r.send(strings.TrimSuffix(word, ">"), rest)
	case strings.HasSuffix(word, "?"):
		fmt.Fprintf(&r.out, "%s -> %s\n", step, r.reply(strings.TrimSuffix(word, "?")))
	case word == "until":
		r.until(rest)
	case word == "until-twice":
		patience.Until(r.t, func() bool { return strings.Count(r.p.log(), rest) == 2 })
	case word == "until-busy":
		patience.Until(r.t, func() bool { return strings.HasPrefix(r.p.ask(r.t, "PING"), "BUSY") })
	case word == "until-clients":
		patience.Until(r.t, func() bool { return r.info("blocked_clients") == rest })
	case word == "mkdir":
		_ = os.Remove(r.p.dir + "/dump.rdb") // of the full copy
		require.NoError(r.t, os.Mkdir(r.p.dir+"/dump.rdb", 0o755))
	case word == "signal":
		require.NoError(r.t, r.p.Process.Signal(map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT}[rest]))
	case word == "info":
		left := r.info("shutdown_in_milliseconds")
		if n, err := strconv.Atoi(left); err == nil && n > 0 && n <= 1000_000 {
			left = "within 1000 s"
		}
		fmt.Fprintf(&r.out, "shutdown_in_milliseconds: %s\n", left)
	case word == "exit":
		ended := make(chan error, 1)
		go func() { ended <- r.p.Wait() }()
		_ = patience.Receive(r.t, ended, "the process does not end") // the exit code says how it ended
		fmt.Fprintf(&r.out, "exit code %d\n", r.p.ProcessState.ExitCode())
	default:
		require.Fail(r.t, "no such step", step)
	}
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// run plays with a program. It returns the replies, the log, and what the replicas got.
func (play *shutdownPlay) run(t *testing.T, program string) string {
	args := append([]string{"--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "3600", "--repl-timeout", "36000",
		"--shutdown-timeout", "1000"}, play.args...)
	r := &shutdownRun{t: t, p: startProcess(t, program, nil, args...), clients: map[string]*shutdownClient{}}
	r.untilRunning()
	for _, step := range strings.Split(play.steps, ";") {
		r.step(strings.TrimSpace(step))
	}
	for i, p := range r.replicas {
		_ = p.SetReadDeadline(patience.Deadline()) // the process has ended
		got, _ := io.ReadAll(bufio.NewReader(p.in))
		// Signs of life depend on the time: empty lines, and a ping in the first second of redis-server.
		text := strings.TrimPrefix(strings.TrimLeft(string(got), "\n"), "*1\r\n$4\r\nping\r\n")
		fmt.Fprintf(&r.out, "replica %d got %q\n", i, text)
	}
	_, log, _ := strings.Cut(r.p.log(), readyLine)
	log = anyPort.ReplaceAllString(anyID.ReplaceAllString(log, "ID"), "ADDRESS")
	log = hostInfo.ReplaceAllString(anyTimes.ReplaceAllString(log, "N $1"), "")
	log = ofForks.ReplaceAllString(log, "")
	return r.out.String() + varying.ReplaceAllString(log, "$1$2$3$4$5")
}

// TestShutdownWaitsForReplicas compares with redis-server how a master ends whose replicas have not
// acknowledged everything.
func TestShutdownWaitsForReplicas(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, play := range shutdownPlays {
		t.Run(play.name, func(t *testing.T) {
			t.Parallel()
			want := play.run(t, theirs)
			require.Equal(t, want, play.run(t, ours))
		})
	}
}

// TestNobodyListensAfterShutdown looks whether a client whose connection was closed by its SHUTDOWN
// can connect again. In redis-server the listeners close first.
func TestNobodyListensAfterShutdown(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, program := range []string{theirs, ours} {
		for _, steps := range []string{"b> SHUTDOWN; b?", "a> EVAL while+true+do+end 0; until-busy; b> SHUTDOWN NOSAVE; b?",
			"replica; a: SET a 1; b> SHUTDOWN; until Waiting for replicas; ack 0 0; b?"} {
			for range 5 {
				p := startProcess(t, program, nil, "--busy-reply-threshold", "10", "--shutdown-timeout", "1000")
				r := &shutdownRun{t: t, p: p, clients: map[string]*shutdownClient{}}
				for _, step := range strings.Split(steps, ";") {
					r.step(strings.TrimSpace(step))
				}
				nc, err := net.Dial("tcp", "127.0.0.1:"+r.p.port)
				if err == nil {
					_ = nc.Close()
				}
				require.ErrorIs(t, err, syscall.ECONNREFUSED, "%s: %s", program, steps)
				r.step("exit")
			}
		}
	}
}
