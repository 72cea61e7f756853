package resp

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// stuck is a connection whose peer reads nothing until it is closed.
type stuck struct {
	net.Conn
	closed chan struct{}
}

var errStuck = errors.New("closed")

func (c stuck) Write([]byte) (int, error)    { <-c.closed; return 0, errStuck }
func (c stuck) TryWrite([]byte) (int, error) { return 0, nil }

// live returns the bytes of the heap that are in use.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What is not read takes its bytes, and little more.
func TestUnreadOutputIsCountedAsItIs(t *testing.T) {
	keys := make([]reply.Value, 500)
	for i := range keys {
		keys[i] = reply.Bulk("key:" + strconv.Itoa(i))
	}
	for name, message := range map[string]func(i int) reply.Value{
		"message": func(i int) reply.Value { return reply.Push(reply.Bulk("message"), reply.Bulk("c"), reply.Bulk("x")) },
		"line":    func(i int) reply.Value { return reply.Status(`1700000000.123456 [0 127.0.0.1:50000] "ping"`) },
		"keys": func(i int) reply.Value {
			return reply.Push(reply.Bulk("invalidate"), reply.Array(append([]reply.Value(nil), keys...)...))
		},
		"text": func(i int) reply.Value {
			return reply.Push(reply.Bulk("message"), reply.Bulk("c"), reply.Bulk(strings.Repeat("x", 10<<10)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			nc := stuck{closed: make(chan struct{})}
			c := &connection{nc: nc, output: newOutput(nc, 1<<20, 0)}
			c.box = newOutbox(c)
			before, sent, waiting := live(), 0, int64(0)
			for i := 0; waiting < 8<<20; i++ {
				v := message(i)
				waiting = c.box.put(v, 3, 0)
				sent += len(Append(nil, v, 3))
			}
			held := live() - before
			require.Less(t, held, waiting*5/4+1<<20)
			require.InEpsilon(t, sent, waiting, 0.02)
			close(nc.closed)
			c.box.end()
		})
	}
}

func TestUnreadRepliesShareMemory(t *testing.T) {
	nc := stuck{closed: make(chan struct{})}
	o := newOutput(nc, 64<<20, 0)
	sent := 0
	for i := range 2000 {
		for _, n := range []int{20, 3000, 70_000, 1} {
			if i%50 != 0 && n > 3000 {
				continue
			}
			require.NoError(t, o.write(make([]byte, n), n > 3000))
			sent += n
		}
	}
	require.EqualValues(t, sent, o.waiting())
	o.mu.Lock()
	held := o.memory()
	o.mu.Unlock()
	require.Less(t, held, sent*5/4)
	close(nc.closed)
	o.drained.Wait()
	require.Zero(t, o.held)
	require.Empty(t, o.queue)
}

// The limit is about the bytes that the client would get: a subscriber of a connection in memory is
// closed when so many wait.
func TestASubscriberIsClosedByTheBytesItDoesNotRead(t *testing.T) {
	const limit, message = 1 << 20, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n"
	e, err := engine.New(engine.Options{Config: map[string]string{"client-output-buffer-limit": "pubsub 1mb 0 0"}})
	require.NoError(t, err)
	defer e.Close()
	s := NewServer(e, Options{})
	defer s.Close()
	nc, err := s.Dial()
	require.NoError(t, err)
	defer nc.Close()
	_, err = nc.Write([]byte("SUBSCRIBE c\r\n"))
	require.NoError(t, err)
	_, err = io.ReadFull(nc, make([]byte, len(subscribed)))
	require.NoError(t, err)
	n := 0
	for {
		got, err := e.Do(context.Background(), "PUBLISH", "c", "x")
		require.NoError(t, err)
		if got.MustInt() == 0 {
			break
		}
		n++
	}
	require.GreaterOrEqual(t, n*len(message), limit)
	require.Less(t, n*len(message), 2*limit)
}
