package ldb

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// ErrSessionOver is returned by [Client.Do] after the script has ended.
var ErrSessionOver = errors.New("ldb: the debugging session is over")

// Client debugs a script on a server that speaks this protocol: Redis, or an engine with [Debug].
// Only Close may be called from another goroutine while a method is running.
type Client struct {
	conn   net.Conn
	in     *resp.Decoder
	line   int
	reason string
	over   bool
}

// Answer is what the server sends after a command: the log, and after the end of the script its
// reply.
type Answer struct {
	Lines []string     // the log, without the mark at the end of the session
	Ended bool         // the script has ended
	Reply engine.Value // the reply of EVAL; valid if Ended is set
}

// Start begins to debug a script over a connection, and blocks until the script stops before its
// first line. The caller must have authenticated and selected a database on the connection before.
// The server closes the connection at the end of the session; if Start returns an error, the caller
// must close it.
//
// With sync the script runs on the server's data and its changes stay; the server serves no other
// client in the meantime. Without sync the script runs in a copy of the server, which is discarded
// at the end.
//
// If the script does not compile, Answer.Ended is set and Answer.Reply is the error reply. Start
// returns an [*engine.Error] if the server refuses to debug, for example because of the user's
// permissions.
func Start(conn net.Conn, script string, keys, args []string, sync bool) (*Client, Answer, error) {
	c := &Client{conn: conn, in: resp.NewDecoder(conn)}
	mode := "YES"
	if sync {
		mode = "SYNC"
	}
	v, err := c.ask("SCRIPT", "DEBUG", mode)
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return nil, Answer{}, err
	}
	eval := append([]string{"EVAL", script, strconv.Itoa(len(keys))}, keys...)
	answer, err := c.Do(append(eval, args...)...)
	return c, answer, err
}

func (c *Client) ask(args ...string) (engine.Value, error) {
	if _, err := c.conn.Write(resp.AppendCommand(nil, args...)); err != nil {
		return engine.Value{}, err
	}
	return c.in.Decode()
}

// Do sends a command of the debugger, for example "step", or "print" and a name, and blocks until
// the server answers; after a step that is when the script has stopped again or has ended. A server
// accepts no argument that is empty or longer than 1,024 bytes. After the end of the script Do
// returns [ErrSessionOver].
func (c *Client) Do(command ...string) (Answer, error) {
	if c.over {
		return Answer{Ended: true}, ErrSessionOver
	}
	v, err := c.ask(command...)
	if err != nil {
		return Answer{}, err
	}
	if v.IsError() { // EVAL was refused before the debugger began
		c.over = true
		return Answer{Ended: true, Reply: v}, nil
	}
	var a Answer
	for _, e := range v.Slice() {
		line := e.Text()
		if m := stopLine.FindStringSubmatch(line); m != nil {
			c.line, _ = strconv.Atoi(m[1])
			c.reason = m[2]
		}
		if line == endMark {
			a.Ended = true
			continue
		}
		a.Lines = append(a.Lines, line)
	}
	if !a.Ended {
		return a, nil
	}
	c.over, c.line = true, 0
	if a.Reply, err = c.in.Decode(); err != nil {
		err = fmt.Errorf("ldb: the reply to EVAL: %w", err)
	}
	return a, err
}

const endMark = "<endsession>"

var stopLine = regexp.MustCompile(`^\* Stopped at (\d+), stop reason = (.*)$`)

// Line returns the line at which the script is stopped, from 1. It is 0 after the script has ended.
func (c *Client) Line() int { return c.line }

// Reason returns why the script stopped last: "step over", "break point", "redis.breakpoint()
// called" or "timeout reached, infinite loop?".
func (c *Client) Reason() string { return c.reason }

// Close closes the connection. A script that has not ended runs to its end without stopping.
func (c *Client) Close() error { return c.conn.Close() }
