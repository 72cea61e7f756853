package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

var unread = attack{
	name: "unread",
	does: "clients that have not authenticated send PING and read nothing, until they are closed or have sent 8 MB each",
	run:  leaveUnread,
	verdict: func(redmoon, redis figures) string {
		// A Go program grows by steps of its own, in KiB; what is below them is not seen.
		const steps = 16 << 10
		for _, n := range crowds {
			grown := fmt.Sprintf("grown by %d", n)
			if redmoon.of(grown) > redis.of(grown)*3/2+steps {
				return fmt.Sprintf("%s KiB, redis-server by %d", grown, redis.of(grown))
			}
			closed := fmt.Sprintf("closed of %d", n)
			if redmoon.of(closed) < redis.of(closed) {
				return fmt.Sprintf("%s: %d, redis-server %d", closed, redmoon.of(closed), redis.of(closed))
			}
		}
		return ""
	},
}

// crowds are the numbers of clients.
var crowds = []int64{1, 100}

func leaveUnread(s server, _ options) (f figures, err error) {
	for _, n := range crowds {
		dir, err := os.MkdirTemp("", "unread")
		if err != nil {
			return nil, err
		}
		grown, closed, err := s.strangers(dir, int(n))
		_ = os.RemoveAll(dir)
		if err != nil {
			return nil, err
		}
		f = append(f, figure{fmt.Sprintf("grown by %d", n), grown, "KiB"}, figure{fmt.Sprintf("closed of %d", n), closed, ""})
	}
	return f, nil
}

// strangers lets n clients send and read nothing. It returns by how much the memory of the server
// has grown at most, in KiB, and how many clients it has closed.
func (s server) strangers(dir string, n int) (grown, closed int64, err error) {
	p, err := s.start(dir, "--save", "", "--requirepass", "secret")
	if err != nil {
		return 0, 0, err
	}
	defer p.kill()
	first, err := p.dial()
	if err != nil {
		return 0, 0, err
	}
	defer first.Close()
	if _, err := first.do("PING"); err != nil {
		return 0, 0, err
	}
	before, _, err := p.memory()
	if err != nil {
		return 0, 0, err
	}
	ends := make(chan bool, n)
	for range n {
		c, err := p.dial()
		if err != nil {
			return 0, 0, err
		}
		defer c.Close()
		go func() { ends <- c.sendOnly(8 << 20) }()
	}
	for range n {
		if <-ends {
			closed++
		}
	}
	_, peak, err := p.memory()
	return max(0, peak-before), closed, err
}

// sendOnly sends PINGs, at most so many bytes, and reads nothing. It reports whether the server has
// closed the connection. A server that takes no more for a second is done.
func (c *client) sendOnly(most int) (closed bool) {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4 << 10)
	}
	line := bytes.Repeat([]byte("PING\r\n"), 5000)
	for sent := 0; sent < most; {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		n, err := c.Write(line)
		if sent += n; err != nil {
			return !errors.Is(err, os.ErrDeadlineExceeded)
		}
	}
	return false
}
