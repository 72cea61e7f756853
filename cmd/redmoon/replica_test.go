//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// fakePeer is a connection of a program to a master, or to a replica, that a test plays.
type fakePeer struct {
	net.Conn
	t    *testing.T
	in   *bufio.Reader
	sent strings.Builder // what the program has sent
}

func newFakePeer(t *testing.T, conn net.Conn) *fakePeer {
	_ = conn.SetDeadline(patience.Deadline())
	return &fakePeer{Conn: conn, t: t, in: bufio.NewReader(conn)}
}

// say sends text. The program may have closed the connection.
func (p *fakePeer) say(text string) { _, _ = io.WriteString(p, text) }

// line reads a line with its end, "" if the program has closed the connection.
func (p *fakePeer) line() string {
	line, err := p.in.ReadString('\n')
	if err != nil {
		require.NotErrorIs(p.t, err, os.ErrDeadlineExceeded, "the program sends nothing")
		return ""
	}
	return line
}

// command reads a command, nil if the program has closed the connection. Empty lines are left out.
func (p *fakePeer) command() (args []string) {
	line := p.line()
	for line == "\n" {
		line = p.line()
	}
	if line == "" {
		return nil
	}
	p.sent.WriteString(line)
	if line[0] != '*' {
		return strings.Fields(line)
	}
	n, err := strconv.Atoi(strings.TrimSpace(line[1:]))
	require.NoError(p.t, err)
	for range n {
		head := p.line()
		size, err := strconv.Atoi(strings.Trim(head, "$\r\n"))
		require.NoError(p.t, err, "%q", head)
		b := make([]byte, size+2)
		_, err = io.ReadFull(p.in, b)
		require.NoError(p.t, err)
		p.sent.WriteString(head + string(b))
		args = append(args, string(b[:size]))
	}
	return args
}

// greet plays a master until the replica has sent PSYNC or SYNC, which it returns. refused are
// replies to commands by their first two words, or their first.
func (p *fakePeer) greet(refused map[string]string) []string {
	for {
		args := p.command()
		if len(args) == 0 || args[0] == "PSYNC" || args[0] == "SYNC" {
			return args
		}
		name := args[0]
		if _, ok := refused[name]; !ok && len(args) > 1 {
			name += " " + args[1]
		}
		if text, ok := refused[name]; ok {
			if text == cut {
				return nil
			}
			p.say(text)
		} else if args[0] == "PING" {
			p.say("+PONG\r\n")
		} else {
			p.say("+OK\r\n")
		}
	}
}

// awaitAck reads until the replica acknowledges an offset; false if it closes the connection.
func (p *fakePeer) awaitAck(offset int64) bool {
	for {
		switch args := p.command(); {
		case args == nil:
			return false
		case len(args) == 3 && args[1] == "ACK" && args[2] == strconv.FormatInt(offset, 10):
			return true
		}
	}
}

// awaitEnd reads until the replica closes the connection.
func (p *fakePeer) awaitEnd() { _, _ = io.Copy(io.Discard, p.in) }

// startProgram starts a program with its log in the file log.
func startProgram(t *testing.T, program string, args ...string) *redistest.Server {
	t.Helper()
	s, err := redistest.StartBinary(program, append([]string{"--logfile", "log", "--loglevel", "notice"}, args...)...)
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return s
}

// doing runs a command and returns its reply, or its error, as text.
func doing(s *redistest.Server, args ...string) string {
	v, err := s.Do(args...)
	if err != nil {
		return err.Error()
	}
	return v.String()
}

// fieldsOf returns the fields of INFO with the given names.
func fieldsOf(s *redistest.Server, names ...string) string {
	v, err := s.Do("INFO", "everything")
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, name := range names {
		if _, rest, ok := strings.Cut(v.Text(), "\r\n"+name+":"); ok {
			value, _, _ := strings.Cut(rest, "\r\n")
			fmt.Fprintf(&b, "%s:%s\n", name, value)
		}
	}
	return b.String()
}

var (
	anyID   = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
	anyPort = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	// what differs from run to run, or names lines of C
	anyTimes = regexp.MustCompile(`\d+\.?\d* (seconds|MB|bytes \.\.\.)`)
	hostInfo = regexp.MustCompile(`(?m)^[SMC] [*#-] (monotonic clock: .*|WARNING .*|Fork CoW .*|RDB: .*|RDB age .*|RDB memory .*|` +
		`Internal error in RDB .*|Ready to accept connections)\n`)
	clientInfo = regexp.MustCompile(`from client: .* resp=2\.`)
	longText   = regexp.MustCompile(`x{900,}.*\n`)
	failedLoad = regexp.MustCompile(`(Failed trying to load the MASTER synchronization DB from \w+): .*\n`)
)

// linesOf returns the log of a program after its start, without what differs between two processes.
func linesOf(s *redistest.Server) string {
	text := withoutTimes(readFile(filepath.Join(s.Dir, "log")))
	if _, rest, ok := strings.Cut(text, "Server initialized\n"); ok {
		text = rest
	}
	text = anyPort.ReplaceAllString(anyID.ReplaceAllString(text, "ID"), "ADDRESS")
	text = hostInfo.ReplaceAllString(anyTimes.ReplaceAllString(text, "N $1"), "")
	text = clientInfo.ReplaceAllString(text, "from client: CLIENT.")
	text = longText.ReplaceAllString(text, "xxx\n") // Redis cuts lines
	return failedLoad.ReplaceAllString(text, "$1\n")
}

// listenAsMaster returns a listener and the words of the parameter replicaof for it.
func listenAsMaster(t *testing.T) (l net.Listener, replicaof []string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l, []string{"--replicaof", "127.0.0.1", strconv.Itoa(l.Addr().(*net.TCPAddr).Port)}
}

// acceptPeer accepts the next connection.
func acceptPeer(t *testing.T, l net.Listener) *fakePeer {
	t.Helper()
	_ = l.(*net.TCPListener).SetDeadline(patience.Deadline())
	conn, err := l.Accept()
	require.NoError(t, err, "the program does not connect")
	return newFakePeer(t, conn)
}
