package resp_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

const (
	stormConns   = 1000
	stormReaders = 90       // subscribers that read
	stormSlow    = 10       // subscribers that never read
	stormMessage = 16 << 10 // bytes of a message
	stormWindow  = 8        // messages that a reader may lag behind: half of its limit
)

// rage lets the workers run for the duration REDMOON_STORM, for example 60s. Without it they run
// until a number of commands has been answered.
func (s *storm) rage() {
	text := os.Getenv("REDMOON_STORM")
	if text == "" {
		enough := int64(tier.Amount(30_000, 100_000))
		done := func() bool {
			return s.acked.Load() >= enough && s.conflicts.Load() > 0 && s.kills.Load() > 0 || s.t.Failed()
		}
		for !done() {
			next := s.acked.Load() + 100
			patience.Until(s.t, func() bool { return s.acked.Load() >= next || done() })
		}
		return
	}
	d, err := time.ParseDuration(text)
	require.NoError(s.t, err, "REDMOON_STORM")
	time.Sleep(d)
}

// storm is the state of the stress test: a thousand connections to one server.
type storm struct {
	t    *testing.T
	e    *engine.Engine
	addr string
	over context.Context // ends when the workers must stop
	wg   sync.WaitGroup  // of the workers

	dialled       atomic.Int64
	sent, acked   atomic.Int64 // commands
	counts        sync.Map     // by key: *tally
	victims       sync.Map     // ids of connections that may be killed
	kills, lost   atomic.Int64 // connections killed; connections that ended unexpectedly
	conflicts     atomic.Int64
	published     atomic.Int64
	readers       sync.WaitGroup
	read          [stormReaders]atomic.Int64 // messages that each reader has got
	receivedInGo  atomic.Int64
	blockedServed atomic.Int64
}

// tally counts the increments of a key that were sent, and those with a reply.
type tally struct{ sent, acked atomic.Int64 }

func (s *storm) tally(key string) *tally {
	c, _ := s.counts.LoadOrStore(key, &tally{})
	return c.(*tally)
}

// stormConn is one connection of the stress test.
type stormConn struct {
	s *storm
	net.Conn
	d *resp.Decoder
	b []byte
}

func (s *storm) dial() *stormConn {
	nc, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Errorf("dial: %v", err)
		return nil
	}
	s.dialled.Add(1)
	return &stormConn{s: s, Conn: nc, d: resp.NewDecoder(nc)}
}

// dialPipe connects without a socket, whose buffers would hold megabytes for clients that do not
// read.
func (s *storm) dialPipe(l *pipes) *stormConn {
	ours, theirs := net.Pipe()
	l.conns <- theirs
	s.dialled.Add(1)
	return &stormConn{s: s, Conn: ours, d: resp.NewDecoder(ours)}
}

// pipes is a listener for dialPipe.
type pipes struct {
	conns chan net.Conn
	over  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), over: make(chan struct{})} }

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.over) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// send writes commands, each one line of words.
func (c *stormConn) send(lines ...string) error {
	c.b = c.b[:0]
	for _, line := range lines {
		c.b = resp.AppendCommand(c.b, strings.Fields(line)...)
	}
	c.s.sent.Add(int64(len(lines)))
	_, err := c.Write(c.b)
	return err
}

func (c *stormConn) reply() (engine.Value, error) {
	v, err := c.d.Decode()
	if err == nil {
		c.s.acked.Add(1)
	}
	return v, err
}

// ask runs commands in one pipeline and returns the last reply.
func (c *stormConn) ask(lines ...string) (v engine.Value, err error) {
	if err = c.send(lines...); err != nil {
		return v, err
	}
	for range lines {
		if v, err = c.reply(); err != nil {
			return v, err
		}
	}
	return v, nil
}

// incr increments a key n times in one pipeline and counts the replies.
func (c *stormConn) incr(key string, n int) error {
	t := c.s.tally(key)
	lines := make([]string, n)
	for i := range lines {
		lines[i] = "INCR " + key
	}
	t.sent.Add(int64(n))
	if err := c.send(lines...); err != nil {
		return err
	}
	for range n {
		v, err := c.reply()
		if err != nil {
			return err
		}
		if v.IsError() {
			c.s.t.Errorf("INCR: %v", v.Err())
		}
		t.acked.Add(1)
	}
	return nil
}

// steady runs work on a connection that is never killed.
func (s *storm) steady(work func(c *stormConn, r *rand.Rand) error) func(r *rand.Rand) {
	return func(r *rand.Rand) {
		c := s.dial()
		if c == nil {
			return
		}
		defer c.Close()
		for s.over.Err() == nil {
			if err := work(c, r); err != nil {
				s.t.Errorf("a connection that nobody ended: %v", err)
				return
			}
		}
	}
}

func pipelines(c *stormConn, r *rand.Rand) error { return c.incr("steady", 1+r.IntN(50)) }

// transactions increments a key that others watch too.
func transactions(c *stormConn, r *rand.Rand) error {
	v, err := c.ask("WATCH contended", "GET contended")
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(v.Text())
	if v, err = c.ask("MULTI", "SET contended "+strconv.Itoa(n+1), "EXEC"); err != nil {
		return err
	}
	t := c.s.tally("contended")
	if v.IsNil() {
		c.s.conflicts.Add(1)
		return nil
	}
	t.sent.Add(1)
	t.acked.Add(1)
	return nil
}

// scripts moves amounts from one key to another: the sum does not change.
func scripts(c *stormConn, r *rand.Rand) error {
	c.s.sent.Add(1)
	b := resp.AppendCommand(nil, "EVAL", `redis.call('decr', KEYS[1]) return redis.call('incr', KEYS[2])`, "2", "debit", "credit")
	t := c.s.tally("credit")
	t.sent.Add(1)
	if _, err := c.Write(b); err != nil {
		return err
	}
	if _, err := c.reply(); err != nil {
		return err
	}
	t.acked.Add(1)
	return nil
}

// waiters waits for elements and pushes some.
func waiters(c *stormConn, r *rand.Rand) error {
	v, err := c.ask("RPUSH queue x", "BLPOP queue 0.05")
	if err == nil && !v.IsNil() {
		c.s.blockedServed.Add(1)
	}
	return err
}

func questions(c *stormConn, r *rand.Rand) error {
	line := []string{"INFO stats", "PUBSUB CHANNELS *", "DBSIZE", "CONFIG GET max*"}[r.IntN(4)]
	if r.IntN(100) == 0 {
		line = []string{"INFO", "CLIENT LIST"}[r.IntN(2)]
	}
	_, err := c.ask(line)
	return err
}

// killers kills a victim.
func killers(c *stormConn, r *rand.Rand) error {
	var id any
	c.s.victims.Range(func(k, _ any) bool { id = k; return r.IntN(100) > 0 })
	if id == nil {
		_, err := c.ask("PING")
		return err
	}
	v, err := c.ask("CLIENT KILL ID " + id.(string))
	if err == nil {
		c.s.kills.Add(v.MustInt())
	}
	return err
}

// victim works, in one of several states, until it is killed or disconnects.
func (s *storm) victim(r *rand.Rand) {
	for s.over.Err() == nil {
		c := s.dial()
		if c == nil {
			return
		}
		last := context.AfterFunc(s.over, func() { c.Close() })
		v, err := c.ask("CLIENT ID")
		id := v.Text()
		s.victims.Store(id, true)
		switch r.IntN(4) {
		case 0:
			_, err = c.ask("SUBSCRIBE victims")
			for err == nil { // until it is killed
				_, err = c.d.Decode()
			}
		case 1:
			_, err = c.ask("WATCH contended", "MULTI")
		case 2:
			_ = c.send("BLPOP nothing 1")
		}
		for i := 0; err == nil && i < 20 && s.over.Err() == nil; i++ {
			if r.IntN(10) == 0 { // disconnects while replies are being sent
				_ = c.send("INCR left", "INCR left")
				_ = c.Conn.(*net.TCPConn).SetLinger(0)
				break
			}
			_, err = c.ask("PING")
		}
		if err != nil {
			s.lost.Add(1)
		}
		s.victims.Delete(id)
		last()
		c.Close()
	}
}

// halfClosed sends a pipeline, closes its sending side, and still gets every reply.
func (s *storm) halfClosed(r *rand.Rand) {
	for s.over.Err() == nil {
		c := s.dial()
		if c == nil {
			return
		}
		n := 1 + r.IntN(100)
		t := s.tally("half")
		t.sent.Add(int64(n))
		lines := make([]string, n)
		for i := range lines {
			lines[i] = "INCR half"
		}
		err := c.send(lines...)
		if err == nil {
			err = c.Conn.(*net.TCPConn).CloseWrite()
		}
		for err == nil {
			if _, err = c.reply(); err == nil {
				t.acked.Add(1)
			}
		}
		if !errors.Is(err, io.EOF) {
			s.t.Errorf("half-closed: %v", err)
		}
		c.Close()
	}
}

// reader counts messages until the last one.
func (s *storm) reader(n int, c *stormConn) {
	defer s.readers.Done()
	defer c.Close()
	for {
		v, err := c.d.Decode()
		if err != nil {
			s.t.Errorf("a subscriber that reads, after %d messages: %v", s.read[n].Load(), err)
			return
		}
		if v.Slice()[2].Text() == "end" {
			return
		}
		s.read[n].Add(1)
	}
}

// publish sends messages, no faster than the readers read, until the time is over and all
// subscribers that do not read have been disconnected.
func (s *storm) publish(receivers int64) {
	message := strings.Repeat("x", stormMessage)
	window := int64(stormWindow)
	for cut := false; s.over.Err() == nil || !cut; {
		for i := range s.read {
			if err := patience.Try(func() error {
				if s.published.Load()-s.read[i].Load() > window && !s.t.Failed() {
					return errors.New("a reader lags behind")
				}
				return nil
			}); err != nil {
				s.t.Error(err)
			}
			if s.t.Failed() {
				return
			}
		}
		v, err := s.e.Do(context.Background(), "PUBLISH", "storm", message)
		if err != nil || v.MustInt() < receivers {
			s.t.Errorf("PUBLISH reached %v of %d: %v", v, receivers, err)
			return
		}
		if !cut && v.MustInt() == receivers {
			cut, message, window = true, "x", 1000 // so that the readers have time for other work
		}
		s.published.Add(1)
	}
}

// goSubscriber is a subscriber in process.
func (s *storm) goSubscriber(sess *engine.Session) {
	defer s.readers.Done()
	defer sess.Close()
	n := int64(0)
	for m := range sess.Messages() {
		if m.Payload == "end" {
			s.receivedInGo.Add(n)
			return
		}
		n++
	}
	s.t.Errorf("a subscriber in process that reads: %v", sess.Err())
}

// watchdog dumps all goroutines and ends the process if there is no more progress.
func (s *storm) watchdog(done <-chan struct{}) {
	for before := int64(-1); ; {
		select {
		case <-done:
			return
		case <-patience.After():
			now := s.acked.Load() + s.published.Load()
			if now == before {
				_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
				panic("the storm stands still")
			}
			before = now
		}
	}
}

func TestStorm(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e, err := engine.New(engine.Options{Config: map[string]string{"client-output-buffer-limit": "pubsub 256kb 0 0"}})
	require.NoError(t, err)
	server := resp.NewServer(e, resp.Options{MaxClients: 2 * stormConns})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	pipes := newPipes()
	serving := make(chan error, 2)
	go func() { serving <- server.Serve(l) }()
	go func() { serving <- server.Serve(pipes) }()
	over, stop := context.WithCancel(context.Background())
	defer stop()
	s := &storm{t: t, e: e, addr: l.Addr().String(), over: over}
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { s.watchdog(done) })

	const inGo = 5
	var slow []*stormConn
	for i := range stormReaders + stormSlow {
		c := s.dial()
		if i >= stormReaders {
			c = s.dialPipe(pipes)
		}
		require.NotNil(t, c)
		v, err := c.ask("SUBSCRIBE storm")
		require.NoError(t, err)
		require.Equal(t, "subscribe", v.Slice()[0].Text())
		if i >= stormReaders {
			slow = append(slow, c)
			continue
		}
		s.readers.Add(1)
		go s.reader(i, c)
	}
	var lazy []*engine.Session
	for i := range 2 * inGo {
		sess, err := e.NewSession()
		require.NoError(t, err)
		require.NoError(t, sess.Subscribe(over, "storm"))
		if i%2 == 0 {
			lazy = append(lazy, sess)
			continue
		}
		s.readers.Add(1)
		go s.goSubscriber(sess)
	}

	roles := []struct {
		work func(r *rand.Rand)
		n    int
	}{
		{s.steady(pipelines), 300}, {s.steady(transactions), 100}, {s.steady(scripts), 150}, {s.steady(waiters), 100},
		{s.steady(questions), 10}, {s.steady(killers), 10}, {s.victim, 180}, {s.halfClosed, 50},
	}
	all := stormReaders + stormSlow
	for _, role := range roles {
		for range role.n {
			all++
			seed := uint64(all)
			s.wg.Go(func() { role.work(rand.New(rand.NewPCG(seed, 0))) })
		}
	}
	require.Equal(t, stormConns, all)
	var publishing sync.WaitGroup
	publishing.Go(func() { s.publish(stormReaders + inGo) })
	s.rage()
	stop()
	s.wg.Wait()
	publishing.Wait()
	mustStorm(t, e, "PUBLISH", "storm", "end")
	s.readers.Wait()
	s.account(slow, lazy)
	t.Logf("%d connections, %d commands, %d conflicts, %d kills, %d lost, %d blocked and served, %d messages",
		s.dialled.Load(), s.acked.Load(), s.conflicts.Load(), s.kills.Load(), s.lost.Load(), s.blockedServed.Load(), s.published.Load())

	require.NoError(t, server.Close())
	require.ErrorIs(t, <-serving, resp.ErrServerClosed)
	require.ErrorIs(t, <-serving, resp.ErrServerClosed)
	require.NoError(t, e.Check(context.Background()))
	require.NoError(t, e.Close())
	close(done)
	watching.Wait()
}

func mustStorm(t *testing.T, e *engine.Engine, args ...any) engine.Value {
	t.Helper()
	v, err := e.Do(context.Background(), args...)
	require.NoError(t, err)
	return v
}

// account compares the counters of the server with those of the workers.
func (s *storm) account(slow []*stormConn, lazy []*engine.Session) {
	t := s.t
	for _, sess := range lazy {
		require.ErrorIs(t, sess.Err(), engine.ErrSlowReceiver)
		_ = sess.Close()
	}
	// the last ones are being closed
	patience.Until(t, func() bool { return s.number("clients", "connected_clients") == 0 })
	for _, c := range slow { // only our ends: the server has closed its ends
		c.Close()
	}
	for i := range s.read {
		require.Equal(t, s.published.Load(), s.read[i].Load(), "reader %d", i)
	}
	require.Equal(t, 5*s.published.Load(), s.receivedInGo.Load())
	s.counts.Range(func(key, c any) bool {
		n, err := strconv.ParseInt(mustStorm(t, s.e, "GET", key).Text(), 10, 64)
		require.NoError(t, err)
		require.Equal(t, c.(*tally).acked.Load(), n, "%s", key)
		require.Equal(t, c.(*tally).sent.Load(), n, "%s", key)
		return true
	})
	require.Equal(t, mustStorm(t, s.e, "GET", "credit").Text(), strings.TrimPrefix(mustStorm(t, s.e, "GET", "debit").Text(), "-"))
	require.Positive(t, s.conflicts.Load())
	require.Positive(t, s.kills.Load())
	require.Zero(t, s.number("clients", "blocked_clients"))
	// and the sessions in process
	require.Equal(t, s.dialled.Load()+10, s.number("stats", "total_connections_received"))
	require.Zero(t, s.number("stats", "rejected_connections"))
	require.Zero(t, s.number("stats", "pubsub_channels"))
	require.GreaterOrEqual(t, s.number("stats", "total_commands_processed"), s.acked.Load())
	require.Empty(t, mustStorm(t, s.e, "CLIENT", "LIST").Text())
}

// number returns a field of INFO.
func (s *storm) number(section, field string) int64 {
	_, text, ok := strings.Cut(mustStorm(s.t, s.e, "INFO", section).Text(), field+":")
	require.True(s.t, ok, field)
	text, _, _ = strings.Cut(text, "\r\n")
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(s.t, err)
	return n
}
