//go:build unix

package main

import (
	"encoding/binary"
	"hash/crc64"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/resp"
)

// logPlay makes a server write log lines.
type logPlay struct {
	name string
	play func(t *testing.T, s *redistest.Server)
	last string // part of the last line
}

var logPlays = []logPlay{
	{"DEBUG LOG", func(t *testing.T, s *redistest.Server) { doing(s, "DEBUG", "LOG", "some\ttext") }, "some"},
	{"HTTP", func(t *testing.T, s *redistest.Server) {
		for range 3 { // a line a minute
			sends(t, s, "POST / HTTP/1.1\r\nHost: a\r\n\r\n").end()
		}
	}, "SECURITY"},
	{"a script that is killed", func(t *testing.T, s *redistest.Server) {
		c := sends(t, s, string(resp.AppendCommand(nil, "EVAL", "while true do end", "0")))
		killRunning(t, s, "SCRIPT")
		c.line()
	}, "killed by user"},
	{"a function that is killed", func(t *testing.T, s *redistest.Server) {
		doing(s, "FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('ff', function() while true do end end)")
		c := sends(t, s, string(resp.AppendCommand(nil, "FCALL", "ff", "0")))
		killRunning(t, s, "FUNCTION")
		c.line()
	}, "killed by user"},
	{"a script by its SHA1", func(t *testing.T, s *redistest.Server) {
		sha := doing(s, "SCRIPT", "LOAD", "while true do end")
		c := sends(t, s, string(resp.AppendCommand(nil, "EVALSHA", strings.ToUpper(strings.Trim(sha, `"`)), "0")))
		killRunning(t, s, "SCRIPT")
		c.line()
	}, "killed by user"},
	{"a subscriber that does not read", func(t *testing.T, s *redistest.Server) {
		doing(s, "CONFIG", "SET", "client-output-buffer-limit", "pubsub 100kb 0 0")
		c := sends(t, s, "SUBSCRIBE c\r\n")
		c.line()
		patience.Until(t, func() bool {
			doing(s, "PUBLISH", "c", strings.Repeat("x", 1<<20))
			return strings.HasSuffix(doing(s, "PUBLISH", "c", ""), "0")
		})
	}, "output buffer limits"},
	{"a client that takes too much memory", func(t *testing.T, s *redistest.Server) {
		doing(s, "CONFIG", "SET", "maxmemory-clients", "2mb")
		sends(t, s, "*2\r\n$4\r\nECHO\r\n$8000000\r\n"+strings.Repeat("x", 7000000)).end()
	}, "Evicting"},
	{"a dump with empty keys", func(t *testing.T, s *redistest.Server) {
		dump := "REDIS0010\xfa\x09redis-ver\x067.0.15\xfa\x08used-mem\xc1\x00\x04\xfe\x00\x00\x01k\x01v"
		for _, empty := range []string{"\x01", "\x02", "\x03", "\x04", "\x05", "\x12"} {
			dump += empty + "\x01" + string('a'+empty[0]) + "\x00" + empty + "\x01" + string('A'+empty[0]) + "\x00"
		}
		dir := strings.Fields(doing(s, "CONFIG", "GET", "dir"))
		require.NoError(t, os.WriteFile(filepath.Join(strings.Trim(dir[len(dir)-1], `"]`), "dump.rdb"), checksummed(dump+"\xff"), 0o600))
		doing(s, "DEBUG", "RELOAD", "NOSAVE")
	}, "DB reloaded"},
}

// checksummed returns an RDB file with its checksum.
func checksummed(file string) []byte {
	sum := ^crc64.Update(^uint64(0), crc64.MakeTable(0x95ac9329ac4bc9b5), []byte(file))
	return binary.LittleEndian.AppendUint64([]byte(file), sum)
}

// sends sends a text to a server.
func sends(t *testing.T, s *redistest.Server, text string) *logClient {
	c, err := net.Dial("tcp", s.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	_, _ = io.WriteString(c, text) // the server may close the connection meanwhile
	return &logClient{newFakePeer(t, c)}
}

// logClient is a client of the server.
type logClient struct{ *fakePeer }

// end waits until the server has closed the connection.
func (c *logClient) end() { c.awaitEnd() }

// killRunning ends the script or function that runs, when it is slow.
func killRunning(t *testing.T, s *redistest.Server, what string) {
	patience.Until(t, func() bool { return doing(s, what, "KILL") == "OK" })
}

var anyMillis = regexp.MustCompile(`after \d+ milliseconds`)

var anyClient = regexp.MustCompile(`id=\d+ addr=.*? (resp=\d|cmd=\S+( user=\S+)?( redir=\S+)?( resp=\d)?)`)

// run plays and returns the log.
func (p *logPlay) run(t *testing.T, program string) string {
	s := startProgram(t, program, "--busy-reply-threshold", "20")
	p.play(t, s)
	patience.Until(t, func() bool { return strings.Contains(linesOf(s), p.last) }, "%s", linesOf(s))
	return anyMillis.ReplaceAllString(anyClient.ReplaceAllString(linesOf(s), "CLIENT"), "after some milliseconds")
}

// TestLogLines compares the log lines of single events with those of redis-server.
func TestLogLines(t *testing.T) {
	theirs, ours := bothPrograms(t)
	for _, p := range logPlays {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, p.run(t, theirs), p.run(t, ours))
		})
	}
}
