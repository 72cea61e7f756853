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

// ErrSessionOver is returned by [Client.Do] when the script has ended.
var ErrSessionOver = errors.New("ldb: the debugging session is over")

// Client debugs a script on a server that speaks this protocol: Redis, or this package. It is for one goroutine, but for Close.
type Client struct {
	conn   net.Conn
	in     *resp.Decoder
	line   int
	reason string
	over   bool
}

// Start begins to debug a script over a connection, which the server closes when the session is over; a password must have been given and a database selected
// on it before. With sync the script runs on the server itself, which serves nobody else meanwhile, and its changes stay; without, in a copy of the server that is
// thrown away at the end. lines and the rest are as with [Client.Do]: a script that does not compile has ended at once.
//
// An error may be an [*engine.Error], the server's: it knows no debugger, or the user may not use it.
func Start(conn net.Conn, script string, keys, args []string, sync bool) (c *Client, lines []string, ended bool, v engine.Value, err error) {
	c = &Client{conn: conn, in: resp.NewDecoder(conn)}
	how := "YES"
	if sync {
		how = "SYNC"
	}
	if v, err = c.ask("SCRIPT", "DEBUG", how); err == nil {
		err = v.Err()
	}
	if err != nil {
		return nil, nil, false, v, err
	}
	eval := append([]string{"EVAL", script, strconv.Itoa(len(keys))}, keys...)
	lines, ended, v, err = c.Do(append(eval, args...)...)
	return c, lines, ended, v, err
}

func (c *Client) ask(args ...string) (engine.Value, error) {
	if _, err := c.conn.Write(resp.AppendCommand(nil, args...)); err != nil {
		return engine.Value{}, err
	}
	return c.in.Decode()
}

// Do sends a command of the debugger, such as "step" or "print" and a name, and returns what it shows, a line each. When the script has ended,
// ended is true and reply is what EVAL answers. A server takes no argument that is empty or longer than 1,024 bytes.
func (c *Client) Do(command ...string) (lines []string, ended bool, reply engine.Value, err error) {
	if c.over {
		return nil, true, reply, ErrSessionOver
	}
	v, err := c.ask(command...)
	if err != nil {
		return nil, false, reply, err
	}
	if v.IsError() { // EVAL was refused before the debugger began
		c.over = true
		return nil, true, v, nil
	}
	for _, e := range v.Slice() {
		line := e.Text()
		if m := stopLine.FindStringSubmatch(line); m != nil {
			c.line, _ = strconv.Atoi(m[1])
			c.reason = m[2]
		}
		if line == endMark {
			ended = true
			continue
		}
		lines = append(lines, line)
	}
	if !ended {
		return lines, false, reply, nil
	}
	c.over, c.line = true, 0
	reply, err = c.in.Decode()
	if err != nil {
		err = fmt.Errorf("ldb: the reply to EVAL: %w", err)
	}
	return lines, true, reply, err
}

const endMark = "<endsession>"

var stopLine = regexp.MustCompile(`^\* Stopped at (\d+), stop reason = (.*)$`)

// Line is where the script stands; 0 when it has ended.
func (c *Client) Line() int { return c.line }

// Reason is why it has stopped: "step over", "break point", "redis.breakpoint() called" or "timeout reached, infinite loop?".
func (c *Client) Reason() string { return c.reason }

// Close ends the connection. A script that has not ended runs on without stopping.
func (c *Client) Close() error { return c.conn.Close() }
