package resp_test

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// extra answers the commands whose names begin with MY, and waits for HOLD.
type extra struct {
	seen  []string
	hold  chan struct{}
	ended chan []string
}

func (i *extra) End() { i.ended <- i.seen }

func (i *extra) Request(x *resp.Exchange) bool {
	i.seen = append(i.seen, strings.Join(x.Args, " "))
	switch x.Args[0] {
	case "MYTWICE":
		x.Reply(reply.Bulk(x.Args[1]))
		x.Reply(reply.Bulk(x.Args[1]))
	case "MYPROTO":
		x.Reply(reply.Map(reply.Bulk("proto"), reply.Int(int64(x.Proto))))
	case "MYINCR":
		v, err := x.Do("INCR", x.Args[1])
		if err != nil {
			v = reply.Err("ERR " + err.Error())
		}
		x.Reply(v)
	case "MYQUIT":
		x.Reply(reply.OK())
		x.CloseAfter()
	case "HOLD":
		<-i.hold
		return false
	default:
		x.Reply(reply.Err("ERR dropped"))
		return false
	}
	return true
}

// intercepting starts a server whose connections have an interceptor, on a socket.
func intercepting(t *testing.T) (dial func() (net.Conn, *resp.Decoder), i *extra) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	i = &extra{hold: make(chan struct{}), ended: make(chan []string, 9)}
	s := resp.NewServer(e, resp.Options{Intercept: func(net.Conn) resp.Interceptor { return &extra{hold: i.hold, ended: i.ended} }})
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.ErrorIs(t, <-served, resp.ErrServerClosed)
		require.NoError(t, e.Close())
	})
	return func() (net.Conn, *resp.Decoder) {
		nc, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = nc.Close() })
		return nc, resp.NewDecoder(nc)
	}, i
}

func request(t *testing.T, nc net.Conn, lines ...string) {
	t.Helper()
	_, err := nc.Write([]byte(strings.Join(lines, "\r\n") + "\r\n"))
	require.NoError(t, err)
}

func expect(t *testing.T, d *resp.Decoder, want ...string) {
	t.Helper()
	for _, text := range want {
		v, err := d.Decode()
		require.NoError(t, err)
		require.Equal(t, text, v.String())
	}
}

// Replies of the interceptor and of the engine come in the order of the requests.
func TestInterceptor(t *testing.T) {
	dial, i := intercepting(t)
	nc, d := dial()
	request(t, nc, "SET k 1", "MYTWICE a", "MYINCR k", "GET k", "NOSUCH", "MYPROTO", "HELLO 3", "MYPROTO", "MYINCR none extra",
		"MYQUIT", "PING")
	expect(t, d, "OK", `"a"`, `"a"`, "(integer) 2", `"2"`)
	v, err := d.Decode()
	require.NoError(t, err)
	require.Contains(t, v.String(), "unknown command")
	expect(t, d, "1) \"proto\"\n2) (integer) 2")
	_, err = d.Decode()
	require.NoError(t, err)
	expect(t, d, "1# \"proto\" => (integer) 3", "(integer) 1", "OK")
	_, err = d.Decode()
	require.Error(t, err, "the connection is closed")
	seen := <-i.ended
	require.Equal(t, "MYQUIT", seen[len(seen)-1])
}

// A request is shown when the one before it is over, even if that has waited.
func TestInterceptorDuringABlockedCommand(t *testing.T) {
	dial, _ := intercepting(t)
	one, d1 := dial()
	two, d2 := dial()
	request(t, one, "BLPOP l 0", "MYINCR n")
	request(t, two, "MYINCR other")
	expect(t, d2, "(integer) 1")
	request(t, two, "GET n", "RPUSH l x")
	expect(t, d2, "(nil)", "(integer) 1")
	expect(t, d1, "1) \"l\"\n2) \"x\"", "(integer) 1")
}

// Only the client whose interceptor waits waits.
func TestInterceptorThatWaits(t *testing.T) {
	dial, i := intercepting(t)
	one, d1 := dial()
	two, d2 := dial()
	request(t, one, "PING", "HOLD")
	expect(t, d1, "PONG")
	request(t, two, "PING")
	expect(t, d2, "PONG")
	close(i.hold)
	v, err := d1.Decode()
	require.NoError(t, err)
	require.Contains(t, v.String(), "unknown command 'HOLD'")
}

// Replies to a subscriber come in order with its messages.
func TestInterceptorOfASubscriber(t *testing.T) {
	dial, _ := intercepting(t)
	nc, d := dial()
	request(t, nc, "SUBSCRIBE c", "MYTWICE a", "PUBLISH c no", "MYINCR n")
	expect(t, d, "1) \"subscribe\"\n2) \"c\"\n3) (integer) 1", `"a"`, `"a"`)
	for _, text := range []string{"Can't execute 'publish'", "Can't execute 'incr'"} {
		v, err := d.Decode()
		require.NoError(t, err)
		require.Contains(t, v.String(), text)
	}
}

// A program can serve a connection of its own.
func TestServeConn(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	s := resp.NewServer(e, resp.Options{})
	here, there := net.Pipe()
	s.ServeConn(there)
	go request(t, here, "ECHO hello")
	expect(t, resp.NewDecoder(here), `"hello"`)
	require.NoError(t, s.Close())
	_, err = here.Read(make([]byte, 1))
	require.Error(t, err)
}
