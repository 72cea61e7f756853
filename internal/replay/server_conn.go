package replay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Against is a server on which the recording is replayed too, at the same time and in the order
// that the engine has found.
type Against struct {
	Name  string                                  // for people
	Dial  func(context.Context) (net.Conn, error) // opens a connection that needs no login
	Flush bool                                    // remove the keys that the server has; otherwise they are an error
}

// serverPeer is that server.
type serverPeer struct {
	against *Against
	ctx     context.Context
	control *serverConn
	ids     map[string]int64 // recorded numbers of connections, and those of the server
	shift   int64            // by how many us the clock of the server is ahead of the recorded one
}

// serverConn is a connection to it.
type serverConn struct {
	inbox
	nc  net.Conn
	id  int64
	buf []byte
}

// answerTimeout is how long the server may take for a command that does not wait.
const answerTimeout = 10 * time.Second

var errSilent = errors.New("the server has not answered")

func newServerPeer(ctx context.Context, a *Against) (*serverPeer, error) {
	p := &serverPeer{against: a, ctx: ctx, ids: map[string]int64{}}
	var err error
	if p.control, err = p.open(); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	return p, nil
}

// open opens a connection.
func (p *serverPeer) open() (*serverConn, error) {
	nc, err := p.against.Dial(p.ctx)
	if err != nil {
		return nil, err
	}
	c := &serverConn{nc: nc, buf: make([]byte, 32<<10)}
	c.inbox.open()
	v, err := c.ask("CLIENT", "ID")
	if err != nil {
		_ = nc.Close()
		return nil, err
	}
	c.id, _ = v.Int()
	return c, nil
}

// send sends a command.
func (c *serverConn) send(args ...string) error {
	if c.closed {
		return nil
	}
	raw := c.inbox.ask(args)
	if err := c.nc.SetWriteDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	_, err := c.nc.Write(raw)
	return err
}

// read reads until the last command has been answered, or the time is out.
func (c *serverConn) read(limit time.Duration) error {
	if err := c.nc.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	for !c.over && !c.closed {
		n, err := c.nc.Read(c.buf)
		c.d.Server(c.buf[:n])
		if err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				return errSilent
			}
			c.closed = true
		}
	}
	return nil
}

// ask runs a command that does not wait.
func (c *serverConn) ask(args ...string) (reply.Value, error) {
	if err := c.send(args...); err != nil {
		return reply.Value{}, err
	}
	if err := c.read(answerTimeout); err != nil {
		return reply.Value{}, err
	}
	return decode(string(c.reply))
}

// do is ask, with an error reply as the error.
func (c *serverConn) do(args ...string) (reply.Value, error) {
	v, err := c.ask(args...)
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(args[:min(2, len(args))], " "), err)
	}
	return v, err
}

// run runs a command. If it is to wait, run returns when the server says so.
func (p *serverPeer) run(c *serverConn, waits bool, args ...string) error {
	if err := c.send(args...); err != nil {
		return err
	}
	if !waits {
		return c.read(answerTimeout)
	}
	for start := time.Now(); time.Since(start) < answerTimeout; {
		if err := c.read(time.Millisecond); err == nil {
			return nil // it has been answered
		}
		v, err := p.control.do("CLIENT", "LIST", "ID", strconv.FormatInt(c.id, 10))
		if err != nil {
			return err
		}
		_, flags, _ := strings.Cut(v.Text(), " flags=")
		flags, _, _ = strings.Cut(flags, " ")
		if strings.Contains(flags, "b") {
			return nil
		}
	}
	return errSilent
}

// answer waits for the reply to a command that has waited. If none comes, the wait is ended as its
// time-out would.
func (p *serverPeer) answer(c *serverConn) error {
	if c.over || c.closed {
		return nil
	}
	if c.read(time.Second) == nil {
		return nil
	}
	if _, err := p.control.do("CLIENT", "UNBLOCK", strconv.FormatInt(c.id, 10), "TIMEOUT"); err != nil {
		return err
	}
	return c.read(answerTimeout)
}

// settle reads the pushes that have been sent to a connection.
func (p *serverPeer) settle(c *serverConn) {
	if !c.closed && c.over && c.send("PING") == nil {
		_ = c.read(answerTimeout) // what has come counts
	}
}

// prepare brings the server into the state of the engine at the start.
func (p *serverPeer) prepare(e *engine.Engine, scripts []string, recorded int64) error {
	v, err := p.control.do("INFO", "keyspace")
	if err != nil {
		return err
	}
	if strings.Contains(v.Text(), "\ndb") {
		if !p.against.Flush {
			return errors.New("the server has keys; a replay needs an empty one, and can empty it (--flush)")
		}
		if _, err := p.control.do("FLUSHALL"); err != nil {
			return err
		}
	}
	if err := p.copyKeys(e); err != nil {
		return err
	}
	for _, text := range scripts {
		if _, err := p.control.do("SCRIPT", "LOAD", text); err != nil {
			return err
		}
	}
	if v, err = p.control.do("TIME"); err != nil {
		return err
	}
	if at := moments(v, nil); len(at) == 1 {
		p.shift = at[0] - recorded
	}
	return nil
}

// copyKeys copies the keys and functions of the engine to the server.
func (p *serverPeer) copyKeys(e *engine.Engine) error {
	sess, err := e.NewSession()
	if err != nil {
		return err
	}
	defer sess.Close()
	if v, err := sess.DoStrings(p.ctx, "FUNCTION", "DUMP"); err == nil && !v.IsNil() {
		if _, err := p.control.do("FUNCTION", "RESTORE", v.Text(), "REPLACE"); err != nil {
			return err
		}
	}
	databases := 0
	if err := e.View(p.ctx, func(k engine.Keyspace) error {
		databases = k.Databases()
		return nil
	}); err != nil {
		return err
	}
	for db := range databases {
		v, err := sess.Do(p.ctx, "SELECT", db)
		if err == nil {
			v, err = sess.Do(p.ctx, "KEYS", "*")
		}
		if err != nil || v.Len() == 0 {
			continue
		}
		if _, err := p.control.do("SELECT", strconv.Itoa(db)); err != nil {
			return err
		}
		for _, key := range v.Strings() {
			dump, err := sess.DoStrings(p.ctx, "DUMP", key)
			if err != nil {
				return err
			}
			left, err := sess.DoStrings(p.ctx, "PTTL", key)
			if err != nil {
				return err
			}
			if dump.IsNil() {
				continue
			}
			ttl := max(left.MustInt(), 0)
			if _, err := p.control.do("RESTORE", key, strconv.FormatInt(ttl, 10), dump.Text()); err != nil {
				return fmt.Errorf("key %.100q: %w", key, err)
			}
		}
	}
	_, err = p.control.do("SELECT", "0")
	return err
}

func (p *serverPeer) close() { _ = p.control.nc.Close() }
