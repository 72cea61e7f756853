package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

// client is an editor. It decodes all messages with the types of go-dap.
type client struct {
	t      *testing.T
	conn   io.ReadWriteCloser
	r      *bufio.Reader
	seq    int
	last   int // seq of the last message that it was sent
	heard  []dap.Message
	served chan error // what Serve returned
}

// dial connects a client to a server.
func dial(t *testing.T, s *Server) *client {
	near, far := net.Pipe()
	c := newClient(t, near)
	go func() { c.served <- s.Serve(context.Background(), far, far) }()
	return c
}

func newClient(t *testing.T, conn io.ReadWriteCloser) *client {
	t.Cleanup(func() { _ = conn.Close() })
	return &client{t: t, conn: conn, r: bufio.NewReader(conn), served: make(chan error, 1)}
}

// newServer returns a server that is closed after the test.
func newServer(t *testing.T, o Options) *Server {
	s := NewServer(o)
	t.Cleanup(s.Close)
	return s
}

// ask sends a request and returns its sequence number.
func (c *client) ask(command string, arguments any) int {
	c.seq++
	request := map[string]any{"seq": c.seq, "type": "request", "command": command}
	if arguments != nil {
		request["arguments"] = arguments
	}
	b, err := json.Marshal(request)
	require.NoError(c.t, err)
	c.write(b)
	return c.seq
}

func (c *client) write(message []byte) {
	require.NoError(c.t, dap.WriteBaseMessage(c.conn, message))
}

// next reads the next message.
func (c *client) next() dap.Message {
	m, err := dap.ReadProtocolMessage(c.r)
	require.NoError(c.t, err)
	require.Greater(c.t, m.GetSeq(), c.last, "messages are numbered upwards")
	c.last = m.GetSeq()
	c.heard = append(c.heard, m)
	return m
}

// answer reads up to the response to request number seq.
func (c *client) answer(seq int) dap.Message {
	for {
		m := c.next()
		if r, ok := m.(dap.ResponseMessage); ok {
			require.Equal(c.t, seq, r.GetResponse().RequestSeq)
			return m
		}
	}
}

// do sends a request that must succeed.
func (c *client) do(command string, arguments any) dap.Message {
	c.t.Helper()
	m := c.answer(c.ask(command, arguments))
	r := m.(dap.ResponseMessage).GetResponse()
	require.True(c.t, r.Success, "%s: %s", command, r.Message)
	require.Equal(c.t, command, r.Command)
	return m
}

// fail sends a request that must fail, and returns the error.
func (c *client) fail(command string, arguments any) string {
	c.t.Helper()
	m := c.answer(c.ask(command, arguments))
	r, ok := m.(*dap.ErrorResponse)
	require.True(c.t, ok, "%s succeeds: %s", command, text(m))
	require.False(c.t, r.Success)
	require.NotEmpty(c.t, r.Message)
	require.Equal(c.t, r.Message, r.Body.Error.Variables["text"])
	return r.Message
}

// wait reads up to the next event with a name.
func (c *client) wait(event string) dap.Message {
	c.t.Helper()
	for {
		m := c.next()
		e, ok := m.(dap.EventMessage)
		require.True(c.t, ok, "%s comes before the event %s", text(m), event)
		if e.GetEvent().Event == event {
			return m
		}
	}
}

// begin does what an editor does before configurationDone.
func (c *client) begin(request string, arguments map[string]any) {
	c.t.Helper()
	c.do("initialize", map[string]any{"adapterID": "redmoon"})
	c.do(request, arguments)
	c.wait("initialized")
}

func text(m dap.Message) string {
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Sprint(m)
	}
	return string(b)
}

type object = map[string]any
