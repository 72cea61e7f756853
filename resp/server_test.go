package resp

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/reply"
)

// fakeEngine is an engine with a few commands that counts batches.
type fakeEngine struct {
	mu      sync.Mutex
	batches [][]string // the command names of each batch
	infos   []enginedoor.SessionInfo
	open    int
	ended   chan struct{} // gets a value for each session that has ended
	hold    chan struct{} // HOLD waits for it
	held    chan struct{}
}

func newFakeEngine() *fakeEngine {
	return &fakeEngine{hold: make(chan struct{}), held: make(chan struct{}, 1), ended: make(chan struct{}, 16)}
}

func (f *fakeEngine) session(info enginedoor.SessionInfo) (session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.infos = append(f.infos, info)
	f.open++
	return &fakeSession{f: f, proto: 2}, nil
}

type fakeSession struct {
	f     *fakeEngine
	proto uint8
}

func (s *fakeSession) Close() error {
	s.f.mu.Lock()
	s.f.open--
	s.f.mu.Unlock()
	s.f.ended <- struct{}{}
	return nil
}

func (s *fakeSession) RunBatch(_ context.Context, b *enginedoor.Batch) error {
	b.Replies, b.Protos, b.Closed = b.Replies[:0], b.Protos[:0], false
	if len(b.Commands) == 0 {
		return nil
	}
	var seen []string
	for _, args := range b.Commands {
		seen = append(seen, args[0])
		b.Replies = append(b.Replies, s.reply(args))
		b.Protos = append(b.Protos, s.proto)
		if args[0] == "QUIT" {
			b.Closed = true
			break
		}
	}
	s.f.mu.Lock()
	s.f.batches = append(s.f.batches, seen)
	s.f.mu.Unlock()
	return nil
}

func (s *fakeSession) reply(args []string) reply.Value {
	switch args[0] {
	case "PING":
		return reply.Status("PONG")
	case "ECHO":
		return reply.Bulk(args[1])
	case "HELLO":
		s.proto = 3
		return reply.Map(reply.Bulk("proto"), reply.Int(3))
	case "BIG":
		return reply.Array(reply.Bulk(strings.Repeat("x", 300_000)), reply.Map(reply.Bulk("a"), reply.Nil()))
	case "SILENT":
		return reply.None()
	case "HOLD":
		s.f.held <- struct{}{}
		<-s.f.hold
	}
	return reply.OK()
}

// startFake starts a server of a fake engine and returns an open connection to it.
func startFake(t *testing.T, o Options) (*fakeEngine, *Server, net.Conn) {
	f := newFakeEngine()
	s := newServer(o, f.session)
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	serving := make(chan error, 1)
	go func() { serving <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		assert.ErrorIs(t, <-serving, ErrServerClosed)
		assert.Zero(t, f.open)
	})
	return f, s, dial(t, l.Addr())
}

func dial(t *testing.T, addr net.Addr) net.Conn {
	c, err := net.Dial(addr.Network(), addr.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// ask sends wire and returns the first len(want) bytes of the reply.
func ask(t *testing.T, c net.Conn, wire, want string) {
	t.Helper()
	_, err := c.Write([]byte(wire))
	require.NoError(t, err)
	got := make([]byte, len(want))
	_, err = io.ReadFull(c, got)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func TestPipelineIsOneBatch(t *testing.T) {
	f, _, c := startFake(t, Options{})
	ask(t, c, "PING\r\n*2\r\n$4\r\nECHO\r\n$1\r\na\r\nPING\r\n", "+PONG\r\n$1\r\na\r\n+PONG\r\n")
	assert.Equal(t, [][]string{{"PING", "ECHO", "PING"}}, f.batches)
}

func TestProtocolChangesWithinAPipeline(t *testing.T) {
	_, _, c := startFake(t, Options{})
	ask(t, c, "BIG\r\nHELLO\r\nBIG\r\n", "*2\r\n$300000\r\n"+strings.Repeat("x", 300_000)+"\r\n*2\r\n$1\r\na\r\n$-1\r\n"+
		"%1\r\n$5\r\nproto\r\n:3\r\n*2\r\n$300000\r\n"+strings.Repeat("x", 300_000)+"\r\n%1\r\n$1\r\na\r\n_\r\n")
}

func TestHalfSentCommandWaits(t *testing.T) {
	f, _, c := startFake(t, Options{})
	ask(t, c, "PING\r\n*2\r\n$4\r\nECHO\r\n$3\r\na", "+PONG\r\n")
	ask(t, c, "bc\r\n", "$3\r\nabc\r\n")
	assert.Equal(t, [][]string{{"PING"}, {"ECHO"}}, f.batches)
}

func TestSilentCommandHasNoReply(t *testing.T) {
	_, _, c := startFake(t, Options{})
	ask(t, c, "SILENT\r\nPING\r\n", "+PONG\r\n")
}

func TestConnectionEndsAfter(t *testing.T) {
	for name, wire := range map[string][2]string{
		"quit":           {"PING\r\nQUIT\r\nPING\r\n", "+PONG\r\n+OK\r\n"},
		"protocol error": {"PING\r\n*x\r\nPING\r\n", "+PONG\r\n-ERR Protocol error: invalid multibulk length\r\n"},
		"line end shown": {"*1\r\n\r\n", "-ERR Protocol error: expected '$', got ' '\r\n"},
		"HTTP":           {"PING\r\nPOST / HTTP/1.1\r\n", ""},
		"HTTP host":      {"Host: a\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, _, c := startFake(t, Options{})
			ask(t, c, wire[0], wire[1])
			_, err := c.Read(make([]byte, 1))
			assert.Error(t, err)
			<-f.ended
		})
	}
}

func TestClientMayWriteAPipelineBeforeItReads(t *testing.T) {
	_, _, c := startFake(t, Options{})
	const n = 300 // 15 MB of replies: more than the sockets hold
	for range n {
		_, err := c.Write([]byte("ECHO " + strings.Repeat("y", 50_000) + "\r\n"))
		require.NoError(t, err)
	}
	d := NewDecoder(c)
	for range n {
		v, err := d.Decode()
		require.NoError(t, err)
		require.Len(t, v.Text(), 50_000)
	}
}

func TestWaitingRepliesAreBounded(t *testing.T) {
	f, _, c := startFake(t, Options{MaxOutput: 1 << 20})
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range 200 {
			_, _ = c.Write([]byte("BIG\r\n"))
		}
	}()
	<-written
	d := NewDecoder(c)
	for range 200 {
		v, err := d.Decode()
		require.NoError(t, err)
		require.Equal(t, 2, v.Len())
	}
	total := 0
	for _, b := range f.batches {
		total += len(b)
	}
	assert.Equal(t, 200, total)
}

func TestClientThatReadsNothingIsDropped(t *testing.T) {
	f, _, c := startFake(t, Options{MaxOutput: 1, SlowTimeout: 1})
	for { // until the server has closed
		if _, err := c.Write([]byte("BIG\r\n")); err != nil {
			break
		}
	}
	<-f.ended
}

func TestUnixSocket(t *testing.T) {
	f := newFakeEngine()
	s := newServer(Options{}, f.session)
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	require.NoError(t, err)
	go s.Serve(l)
	c := dial(t, l.Addr())
	ask(t, c, "PING\r\n", "+PONG\r\n")
	assert.Equal(t, path+":0", f.infos[0].Addr)
	assert.Equal(t, path+":0", f.infos[0].LAddr)
	require.NoError(t, s.Close())
	assert.NoFileExists(t, path)
}

func TestConnectionsBeyondMaxClientsAreRefused(t *testing.T) {
	_, s, c := startFake(t, Options{MaxClients: 1})
	ask(t, c, "PING\r\n", "+PONG\r\n")
	ask(t, dial(t, s.Addr()), "", "-ERR max number of clients reached\r\n")
	ask(t, c, "PING\r\n", "+PONG\r\n")
}

func TestShutdownSendsTheRepliesOfRunningCommands(t *testing.T) {
	f, s, c := startFake(t, Options{})
	_, err := c.Write([]byte("HOLD\r\n"))
	require.NoError(t, err)
	<-f.held
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(context.Background()) }()
	f.hold <- struct{}{}
	ask(t, c, "", "+OK\r\n")
	require.NoError(t, <-done)
	_, err = c.Read(make([]byte, 1))
	assert.Error(t, err)
}

func TestShutdownGivesUpWithItsContext(t *testing.T) {
	f, s, c := startFake(t, Options{})
	_, err := c.Write([]byte("HOLD\r\n"))
	require.NoError(t, err)
	<-f.held
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(ctx) }()
	f.hold <- struct{}{}
	<-done
}

func TestShutdownEndsBlockedCommands(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	s := NewServer(e, Options{})
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	serving := make(chan error, 1)
	go func() { serving <- s.Serve(l) }()
	c := dial(t, l.Addr())
	ask(t, c, "PING\r\nBLPOP k 0\r\nSET done 1\r\n", "+PONG\r\n")
	require.NoError(t, s.Shutdown(context.Background()))
	require.ErrorIs(t, <-serving, ErrServerClosed)
	rest, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Empty(t, rest)
	v, err := e.Do(context.Background(), "EXISTS", "done")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
}

func TestServeAfterCloseIsRefused(t *testing.T) {
	s := newServer(Options{}, newFakeEngine().session)
	require.NoError(t, s.Close())
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	assert.ErrorIs(t, s.Serve(l), ErrServerClosed)
	assert.Nil(t, s.Addr())
}
