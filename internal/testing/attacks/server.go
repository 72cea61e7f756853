package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// server is a program that is attacked.
type server struct {
	name    string
	command []string
}

// process is a running server.
type process struct {
	addr   string
	secure string // address of TLS; "" if it has none
	dir    string
	cmd    *exec.Cmd
	ended  chan struct{}
}

// start starts the server on a free port with the files of a folder. It does not wait until the
// server answers.
func (s server) start(dir string, args ...string) (*process, error) {
	return s.startAt(tcp, dir, args...)
}

// startAt is start with another door besides TCP.
func (s server) startAt(d door, dir string, args ...string) (*process, error) {
	port, err := redistest.FreePort()
	if err != nil {
		return nil, err
	}
	tlsPort, err := redistest.FreePort()
	if err != nil {
		return nil, err
	}
	more, err := d.args(dir, tlsPort)
	if err != nil {
		return nil, err
	}
	args = append(more, args...)
	args = append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", dir, "--logfile", dir + "/log"}, args...)
	p := &process{addr: net.JoinHostPort("127.0.0.1", port), secure: net.JoinHostPort("127.0.0.1", tlsPort), dir: dir,
		ended: make(chan struct{}),
		cmd:   exec.Command(s.command[0], append(s.command[1:len(s.command):len(s.command)], args...)...)}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// kill ends the process.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// limit ends a wait for a server that hangs.
const limit = time.Minute

// dial connects to the server, as soon as it listens.
func (p *process) dial() (*client, error) {
	for end := time.Now().Add(limit); ; {
		nc, err := net.DialTimeout("tcp", p.addr, limit)
		if err == nil {
			return &client{nc, bufio.NewReader(nc)}, nil
		}
		if p.hasEnded() || time.Now().After(end) {
			return nil, fmt.Errorf("the server has ended, or does not listen: %w", err)
		}
		time.Sleep(time.Millisecond)
	}
}

// memory returns the resident memory of the process in KiB: now, and the most so far.
func (p *process) memory() (now, peak int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		name, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = n
		case "VmHWM":
			peak = n
		}
	}
	if peak == 0 {
		return 0, 0, errors.New("the process has ended")
	}
	return now, peak, nil
}

// client is a connection to a server.
type client struct {
	net.Conn
	r *bufio.Reader
}

// command returns a command as clients send it.
func command(args ...string) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b
}

// hurry gives what follows on the connection the limit.
func (c *client) hurry() { _ = c.SetDeadline(time.Now().Add(limit)) }

// until calls done a hundred times a second until it returns true.
func until(what string, done func() (bool, error)) error {
	for end := time.Now().Add(limit); ; {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New(what + " takes too long")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// do sends a command and returns the first line of its reply; of a bulk string, its text.
func (c *client) do(args ...string) (string, error) {
	c.hurry()
	if _, err := c.Write(command(args...)); err != nil {
		return "", err
	}
	line, err := c.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if n, ok := strings.CutPrefix(line, "$"); ok && n != "-1" {
		size, err := strconv.Atoi(n)
		if err != nil {
			return "", err
		}
		text := make([]byte, size+2)
		_, err = io.ReadFull(c.r, text)
		return string(text[:size]), err
	}
	return line, nil
}

// skipReply reads a reply of RESP2 and drops it.
func (c *client) skipReply() error {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return err
	}
	n := -1
	switch line[0] {
	case '$':
		if n, err = strconv.Atoi(string(line[1 : len(line)-2])); err != nil || n < 0 {
			return err
		}
		_, err = c.r.Discard(n + 2)
		return err
	case '*':
		n, err = strconv.Atoi(string(line[1 : len(line)-2]))
	}
	for ; n > 0 && err == nil; n-- {
		err = c.skipReply()
	}
	return err
}

// sendLines sends a text n times, and reads nothing. It ends when the server takes no more for a
// second, or closes the connection: only then it returns false.
func (c *client) sendLines(text []byte, n int) (open bool) {
	const batch = 5000
	for many := bytes.Repeat(text, batch); n > 0; n -= batch {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		if _, err := c.Write(many[:min(n, batch)*len(text)]); err != nil {
			var timeout net.Error
			return errors.As(err, &timeout) && timeout.Timeout()
		}
	}
	return true
}

// online waits until the server has so many replicas that have got their copy.
func (v *victim) online(n int) error {
	return until("the copy for the replicas", func() (bool, error) {
		info, err := v.admin.do("INFO", "replication")
		return strings.Count(info, "state=online") >= n, err
	})
}
