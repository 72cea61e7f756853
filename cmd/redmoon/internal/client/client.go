package client

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// dialTimeout bounds the making of a connection.
const dialTimeout = 5 * time.Second

// Client is a pool of connections; each call has one to itself. It is an [engine.Runner] and may be used
// from any number of goroutines. Make it with [New].
type Client struct {
	addr  string
	hello [][]string // sent first on each connection: AUTH, SELECT
	idle  chan *conn
}

// conn is one connection with its buffers.
type conn struct {
	nc   net.Conn
	dec  *resp.Decoder
	out  []byte
	args []string
	late bool // its deadline has passed: it can do no more
}

// New returns a client of the server that target names: redis://[[user]:password@]host[:port][/database]. It keeps
// up to idle connections open between calls, and makes the first.
func New(ctx context.Context, target string, idle int) (*Client, error) {
	c, err := parse(target)
	if err != nil {
		return nil, err
	}
	c.idle = make(chan *conn, idle)
	cn, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	c.put(cn)
	return c, nil
}

func parse(target string) (*Client, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "redis" || u.Hostname() == "" {
		return nil, fmt.Errorf("target %q is not of the form redis://host:port", target)
	}
	port := u.Port()
	if port == "" {
		port = "6379"
	}
	c := &Client{addr: net.JoinHostPort(u.Hostname(), port)}
	if password, ok := u.User.Password(); ok {
		auth := []string{"AUTH"}
		if user := u.User.Username(); user != "" {
			auth = append(auth, user)
		}
		c.hello = append(c.hello, append(auth, password))
	}
	if db := strings.Trim(u.Path, "/"); db != "" {
		if _, err := strconv.Atoi(db); err != nil {
			return nil, fmt.Errorf("target %q: the database is not a number", target)
		}
		c.hello = append(c.hello, []string{"SELECT", db})
	}
	return c, nil
}

// Close closes the idle connections. It is called when no call is under way.
func (c *Client) Close() error {
	for {
		select {
		case cn := <-c.idle:
			_ = cn.nc.Close()
		default:
			return nil
		}
	}
}

// Do runs one command. An error reply is an *[engine.Error]; after any other error, whether the command
// was run is not known.
func (c *Client) Do(ctx context.Context, args ...string) (engine.Value, error) {
	cn, err := c.get(ctx)
	if err != nil {
		return engine.Value{}, err
	}
	v, err := cn.roundTrip(ctx, args)
	if err != nil {
		_ = cn.nc.Close() // its stream is out of step
		return engine.Value{}, err
	}
	c.put(cn)
	return v, v.Err()
}

// RunScript implements [engine.Runner]: EVALSHA, and EVAL where the server does not know the script.
func (c *Client) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	cn, err := c.get(ctx)
	if err != nil {
		return engine.Value{}, err
	}
	cn.args = append(cn.args[:0], "EVALSHA", s.SHA(), strconv.Itoa(len(keys)))
	cn.args = append(append(cn.args, keys...), args...)
	v, err := cn.roundTrip(ctx, cn.args)
	if err == nil && v.IsError() && strings.HasPrefix(v.Text(), "NOSCRIPT") {
		cn.args[0], cn.args[1] = "EVAL", s.Source()
		v, err = cn.roundTrip(ctx, cn.args)
	}
	if err != nil {
		_ = cn.nc.Close()
		return engine.Value{}, err
	}
	c.put(cn)
	return v, v.Err()
}

func (c *Client) get(ctx context.Context) (*conn, error) {
	select {
	case cn := <-c.idle:
		return cn, nil
	default:
		return c.dial(ctx)
	}
}

func (c *Client) put(cn *conn) {
	if cn.late {
		_ = cn.nc.Close()
		return
	}
	select {
	case c.idle <- cn:
	default:
		_ = cn.nc.Close()
	}
}

func (c *Client) dial(ctx context.Context) (*conn, error) {
	d := net.Dialer{Timeout: dialTimeout}
	nc, err := d.DialContext(ctx, "tcp", c.addr)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	cn := &conn{nc: nc, dec: resp.NewDecoder(nc)}
	for _, args := range c.hello {
		v, err := cn.roundTrip(ctx, args)
		if err == nil {
			err = v.Err()
		}
		if err != nil {
			_ = nc.Close()
			return nil, fmt.Errorf("%s: %w", args[0], err)
		}
	}
	return cn, nil
}

// roundTrip sends a command and reads its reply. When ctx ends first it returns ctx's error, and the
// connection is of no more use.
func (cn *conn) roundTrip(ctx context.Context, args []string) (engine.Value, error) {
	if ctx.Done() != nil {
		if err := ctx.Err(); err != nil {
			return engine.Value{}, err
		}
		stop := context.AfterFunc(ctx, func() { _ = cn.nc.SetDeadline(time.Unix(1, 0)) })
		defer func() {
			cn.late = !stop()
		}()
	}
	cn.out = resp.AppendCommand(cn.out[:0], args...)
	_, err := cn.nc.Write(cn.out)
	var v engine.Value
	if err == nil {
		v, err = cn.dec.Decode()
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return v, err
}

// Addr is the server's address, host:port.
func (c *Client) Addr() string { return c.addr }
