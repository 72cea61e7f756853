package resp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/queue"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/stretchr/testify/require"
)

// startEngine serves a real engine and returns it with the address of its server.
func startEngine(t *testing.T, config map[string]string) (*engine.Engine, net.Addr) {
	t.Helper()
	e, err := engine.New(engine.Options{Config: config})
	require.NoError(t, err)
	s := NewServer(e, Options{})
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	serving := make(chan error, 1)
	go func() { serving <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.ErrorIs(t, <-serving, ErrServerClosed)
		require.NoError(t, e.Close())
	})
	return e, l.Addr()
}

const subscribed = "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"

func TestASubscriberThatDoesNotReadIsDisconnected(t *testing.T) {
	e, addr := startEngine(t, map[string]string{"client-output-buffer-limit": "pubsub 1mb 0 0"})
	slow, quick := dial(t, addr), dial(t, addr)
	ask(t, slow, "SUBSCRIBE c\r\n", subscribed)
	ask(t, quick, "SUBSCRIBE c\r\n", subscribed)
	go func() { _, _ = io.Copy(io.Discard, quick) }()
	message := strings.Repeat("x", 1000)
	for {
		n, err := e.Do(context.Background(), "PUBLISH", "c", message)
		require.NoError(t, err)
		if n.MustInt() < 2 { // the slow one is disconnected; so may be the quick one, on a busy machine
			break
		}
	}
	ask(t, dial(t, addr), "PING\r\n", "+PONG\r\n")
}

func TestMessagesAndRepliesKeepTheirOrder(t *testing.T) {
	const publishers, each = 4, 500
	e, addr := startEngine(t, nil)
	c := dial(t, addr)
	r := bufio.NewReader(c)
	ask(t, c, "INCR n\r\nSUBSCRIBE c\r\n", ":1\r\n"+subscribed)
	_, err := io.WriteString(c, "PING\r\n")
	require.NoError(t, err)
	var wg sync.WaitGroup
	for p := range publishers {
		wg.Go(func() {
			for i := range each {
				n, err := e.Do(context.Background(), "PUBLISH", "c", fmt.Sprintf("%d %d", p, i))
				if err != nil || n.MustInt() != 1 {
					t.Errorf("PUBLISH: %v %v", n, err)
				}
			}
		})
	}
	next := map[int]int{}
	pongs := 0
	for got, d := 0, NewDecoder(r); got < publishers*each; {
		v, err := d.Decode()
		require.NoError(t, err)
		els := v.Strings()
		if els[0] == "pong" {
			if pongs++; pongs < 50 {
				_, err := io.WriteString(c, "PING\r\n")
				require.NoError(t, err)
			}
			continue
		}
		require.Equal(t, "message", els[0])
		var p, i int
		_, err = fmt.Sscan(els[2], &p, &i)
		require.NoError(t, err)
		require.Equal(t, next[p], i)
		next[p]++
		got++
	}
	wg.Wait()
}

func TestTheOutboxIsBoundedForReplies(t *testing.T) {
	c := &connection{}
	server, client := net.Pipe()
	defer client.Close()
	c.nc = server
	c.output = newOutput(server, 1, 0)
	b := newOutbox(c)
	require.Positive(t, b.put(reply.Bulk(strings.Repeat("x", 1000)), 2, 0))
	waited := make(chan error)
	go func() { waited <- b.await(10, 0) }()
	select {
	case err := <-waited:
		t.Fatalf("did not wait: %v", err)
	default:
	}
	go func() { _, _ = io.Copy(io.Discard, client) }()
	require.NoError(t, <-waited)
	require.NoError(t, server.Close())
	b.end()
	require.Zero(t, b.put(reply.OK(), 2, 0))
}

// TestALateTimerDoesNotEndASendingOutbox: a timer set before the peer has read something may fire
// when more is waiting than at that time.
func TestALateTimerDoesNotEndASendingOutbox(t *testing.T) {
	b := newOutbox(&connection{})
	b.q = queue.New(queue.Consumer[outItem]{Deliver: func([]outItem) {}}) // sends nothing
	b.q.Put(outItem{}, 1000, 0)
	b.writes = 1
	b.endIf(0)
	require.NoError(t, b.q.Err())
	b.endIf(1)
	require.ErrorIs(t, b.q.Err(), errEnded)
	b.end()
}

// discarding is a connection whose peer reads everything.
type discarding struct{ net.Conn }

func (discarding) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkOutbox sends push messages.
func BenchmarkOutbox(b *testing.B) {
	message := reply.Push(reply.Bulk("message"), reply.Bulk("channel"), reply.Bulk("a payload"))
	c := &connection{nc: discarding{}, output: newOutput(discarding{}, 1<<20, 0)}
	box := newOutbox(c)
	b.ReportAllocs()
	for b.Loop() {
		if box.put(message, 3, 0) > 1<<20 {
			_ = box.await(0, 0)
		}
	}
	_ = box.await(0, 0)
	box.end()
}
