package resp

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/queue"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/stretchr/testify/require"
)

// TestAConnectionBecomesAsynchronousAtAnyTime: a session gets invalidation messages while it sends
// commands. The messages stand among its replies in the order in which the engine made them, from
// the first one on.
func TestAConnectionBecomesAsynchronousAtAnyTime(t *testing.T) {
	const rounds, writes, reads = 20, 5, 10
	ctx := context.Background()
	e, addr := startEngine(t, nil)
	for range rounds {
		c := dial(t, addr)
		_, err := io.WriteString(c, "HELLO 3\r\nCLIENT ID\r\nSET k 0\r\n")
		require.NoError(t, err)
		d := NewDecoder(c)
		next := func() engine.Value {
			v, err := d.Decode()
			require.NoError(t, err)
			return v
		}
		next()
		id := next()
		next()
		s, err := e.NewSession()
		require.NoError(t, err)
		_, err = s.Do(ctx, "CLIENT", "TRACKING", "ON", "BCAST", "REDIRECT", id.MustInt())
		require.NoError(t, err)
		written := make(chan struct{})
		go func() {
			defer close(written)
			for i := range writes {
				if _, err := e.Do(ctx, "SET", "k", i+1); err != nil {
					t.Errorf("SET: %v", err)
				}
			}
		}()
		sent := make(chan error, 1)
		go func() {
			for range reads {
				if _, err := io.WriteString(c, strings.Repeat("GET k\r\n", 100)); err != nil {
					sent <- err
					return
				}
			}
			<-written
			_, err := io.WriteString(c, "ECHO end\r\n")
			sent <- err
		}()
		pushes := 0
		for {
			v := next()
			if v.Kind() == engine.KindPush {
				pushes++
			} else if text := v.Text(); text == "end" {
				break
			} else {
				require.Equal(t, fmt.Sprint(pushes), text)
			}
		}
		require.Equal(t, writes, pushes)
		require.NoError(t, <-sent)
		require.NoError(t, s.Close())
		require.NoError(t, c.Close())
	}
}

func TestAProtocolErrorFollowsEarlierReplies(t *testing.T) {
	_, addr := startEngine(t, nil)
	c := dial(t, addr)
	ask(t, c, "PING\r\n*1\r\n$x\r\n", "+PONG\r\n-ERR Protocol error: invalid bulk length\r\n")
}

func TestTheOutboxFollowsEarlierReplies(t *testing.T) {
	for range 20 {
		near, far := net.Pipe()
		c := &connection{nc: near, output: newOutput(near, 1<<20, 0)}
		c.box = newOutbox(c)
		start := func() { c.box.after = 1 } // as if the engine had answered a batch
		c.box.q = queue.New(queue.Consumer[outItem]{Start: start, Deliver: c.box.deliver})
		c.box.put(reply.Status("push"), 3, 0)
		go func() {
			c.out, c.ran = append(c.out, "+reply\r\n"...), 1
			_ = c.send()
		}()
		got := make([]byte, len("+reply\r\n+push\r\n"))
		_, err := io.ReadFull(far, got)
		require.NoError(t, err)
		require.Equal(t, "+reply\r\n+push\r\n", string(got))
		require.NoError(t, near.Close())
		c.box.end()
	}
}
