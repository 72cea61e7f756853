package dap

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

func framed(s string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s) }

// TestMessagesInPieces reads a message that arrives in pieces and another one directly after it.
func TestMessagesInPieces(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	near, far := net.Pipe()
	go func() {
		for _, piece := range []string{framed(long)[:100_000], framed(long)[100_000:], framed("b")} {
			_, _ = io.WriteString(far, piece)
		}
		_ = far.Close()
	}()
	r := bufio.NewReader(near)
	for _, want := range []string{long, "b"} {
		got, err := format.Read(r)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	_, err := format.Read(r)
	require.ErrorIs(t, err, io.EOF)
}

// TestMalformedMessagesAreAnswered sends malformed and untimely requests. Each gets an error, and
// the next request is served.
func TestMalformedMessagesAreAnswered(t *testing.T) {
	c := dial(t, newServer(t, Options{}))
	for _, m := range []struct {
		in, command, why string
		seq              int
	}{
		{`{"seq":7`, "", "malformed message", 0},
		{`[]`, "", "malformed message", 0},
		{`null`, "", "malformed message", 0},
		{``, "", "malformed message", 0},
		{"\xff\xfe", "", "malformed message", 0},
		{`{"seq":"seven","type":"request","command":"threads"}`, "threads", "malformed message", 0},
		{`{"seq":7,"type":5,"command":"threads"}`, "threads", "malformed message", 7},
		{`{"seq":8,"type":"question","command":"threads"}`, "threads", "not one of request, response, event", 8},
		{`{"seq":9,"type":"request","command":"dance"}`, "dance", `unknown request "dance"`, 9},
		{`{"seq":10,"type":"request"}`, "", `unknown request ""`, 10},
		{`{"seq":11,"type":"request","command":"continue","arguments":{"threadId":"one"}}`, "continue", "malformed request", 11},
		{`{"seq":12,"type":"request","command":"initialize","arguments":[]}`, "initialize", "malformed request", 12},
		{`{"seq":13,"type":"request","command":"threads"}`, "threads", "initialize must come first", 13},
		{`{"seq":14,"type":"request","command":"launch"}`, "launch", "initialize must come first", 14},
		{`{"seq":15,"type":"request","command":"initialize","arguments":{"pathFormat":"dos"}}`, "initialize", "path format", 15},
		{`{"seq":16,"type":"request","command":"disassemble","arguments":{}}`, "disassemble", "not supported", 16},
	} {
		c.write([]byte(m.in))
		r, ok := c.next().(*dap.ErrorResponse)
		require.True(t, ok, m.in)
		require.Equal(t, m.seq, r.RequestSeq, m.in)
		require.Equal(t, m.command, r.Command, m.in)
		require.Contains(t, r.Message, m.why, m.in)
	}
	c.write([]byte(`{"seq":20,"type":"event","event":"stopped"}`)) // nothing was asked
	c.write([]byte(`{"seq":21,"type":"response","command":"runInTerminal","request_seq":1,"success":true}`))
	c.seq = 21
	c.do("initialize", object{"adapterID": "x"})
	require.Contains(t, c.fail("initialize", object{"adapterID": "x"}), "already sent")
	c.do("disconnect", nil)
	require.NoError(t, <-c.served)
}

// TestLostFramingEndsTheConnection sends bytes of another protocol.
func TestLostFramingEndsTheConnection(t *testing.T) {
	c := dial(t, newServer(t, Options{}))
	_, err := io.WriteString(c.conn, "GET / HTTP/1.1\r\n\r\n")
	require.NoError(t, err)
	r, ok := c.next().(*dap.ErrorResponse)
	require.True(t, ok)
	require.Contains(t, r.Message, "not the Debug Adapter Protocol")
	require.ErrorIs(t, <-c.served, errFraming)
}

// requestTable returns the requests that a connection serves.
func requestTable() map[string]request {
	c := newConn(context.Background(), Options{}, nil, io.Discard)
	defer c.cancel()
	return c.requests
}

// TestRequestsAtTheWrongTime sends all requests before anything is debugged.
func TestRequestsAtTheWrongTime(t *testing.T) {
	c := dial(t, newServer(t, Options{}))
	c.do("initialize", object{"adapterID": "x"})
	for name, r := range requestTable() {
		switch r.needs {
		case always, initialized, hasNoTarget:
		default:
			require.Equal(t, errNoTarget.Error(), c.fail(name, object{}), name)
		}
	}
	for _, name := range []string{"goto", "gotoTargets", "stepInTargets", "restartFrame", "terminateThreads", "modules",
		"readMemory", "writeMemory", "setInstructionBreakpoints"} {
		require.Contains(t, c.fail(name, object{}), "not supported")
	}
	// Requests for descriptions succeed with an empty result.
	require.Empty(t, c.do("threads", nil).(*dap.ThreadsResponse).Body.Threads)
	require.Empty(t, c.do("loadedSources", nil).(*dap.LoadedSourcesResponse).Body.Sources)
	set := c.do("setBreakpoints", object{"source": object{"path": "/x.lua"},
		"breakpoints": []object{{"line": 1}}}).(*dap.SetBreakpointsResponse)
	require.False(t, set.Body.Breakpoints[0].Verified)
	require.NotEmpty(t, set.Body.Breakpoints[0].Message)
}

// FuzzDoor sends any bytes. All responses must be valid messages, and the connection must end.
func FuzzDoor(f *testing.F) {
	initialize := framed(`{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}`)
	f.Add([]byte(initialize))
	f.Add([]byte("Content-Length: 5\r\n\r\n{\"se"))
	for name := range requestTable() {
		request := `{"seq":2,"type":"request","command":"` + name + `","arguments":{"threadId":1,"frameId":1,` +
			`"source":{"path":"/x"},"text":"return 1","expression":"x"}}`
		f.Add([]byte(initialize + framed(request)))
		f.Add([]byte(initialize +
			framed(`{"seq":2,"type":"request","command":"launch","arguments":{"text":"return {1}","stopOnEntry":true}}`) +
			framed(`{"seq":3,"type":"request","command":"configurationDone"}`) +
			framed(`{"seq":4,"type":"request","command":"`+name+`","arguments":{}}`)))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		err := NewServer(Options{}).Serve(t.Context(), bytes.NewReader(in), &out)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			require.ErrorIs(t, err, errFraming)
		}
		r := bufio.NewReader(&out)
		for {
			_, err := dap.ReadProtocolMessage(r)
			if errors.Is(err, io.EOF) {
				return
			}
			require.NoError(t, err)
		}
	})
}
