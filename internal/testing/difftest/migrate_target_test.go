package difftest

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/resp"
)

// fakeTarget is a server that MIGRATE sends keys to. It records what it receives and answers as a
// test wants, so that both servers meet the same target.
type fakeTarget struct {
	l    net.Listener
	wait sync.WaitGroup

	mu    sync.Mutex
	rules targetRules
	got   []*bytes.Buffer // what each connection has sent
	conns []net.Conn
}

// targetRules say how a target behaves.
type targetRules struct {
	// answers are the replies to the commands of each connection, in order; the last connection's
	// are those of all further ones. After the last reply of a list comes "+OK".
	answers [][]string
	// hangUpAt closes connections after so many bytes of them have been read. 0: not.
	hangUpAt int
	// onlyFirst limits hangUpAt to the first connection.
	onlyFirst bool
	// blocked makes the target read nothing.
	blocked bool
	// drain reads what has been sent without waiting for its reply.
	drain bool
}

// Answers of another kind.
const (
	hangUp = "\x00close" // closes the connection; text before it is sent
	silent = "\x00none"  // sends nothing
)

func newFakeTarget(t *testing.T) *fakeTarget {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &fakeTarget{l: l}
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			f.mu.Lock()
			n, rules, log := len(f.conns), f.rules, new(bytes.Buffer)
			f.conns, f.got = append(f.conns, nc), append(f.got, log)
			f.wait.Add(1)
			f.mu.Unlock()
			go f.serve(nc, n, rules, log)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		f.reset(targetRules{})
	})
	return f
}

// reset ends the connections and sets the rules for new ones. It returns what the earlier ones have
// sent.
func (f *fakeTarget) reset(rules targetRules) (got []string) {
	f.mu.Lock()
	conns, drain := f.conns, f.rules.drain
	f.mu.Unlock()
	for _, nc := range conns {
		if drain {
			_ = nc.SetReadDeadline(time.Now())
		} else {
			nc.Close()
		}
	}
	f.wait.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, log := range f.got {
		got = append(got, log.String())
	}
	f.conns, f.got, f.rules = nil, nil, rules
	return got
}

func (f *fakeTarget) addr() (host, port string) {
	host, port, _ = net.SplitHostPort(f.l.Addr().String())
	return host, port
}

// serve answers one connection.
func (f *fakeTarget) serve(nc net.Conn, n int, rules targetRules, log *bytes.Buffer) {
	defer f.wait.Done()
	if rules.blocked {
		_ = nc.(*net.TCPConn).SetReadBuffer(1)
		return
	}
	defer nc.Close()
	if rules.hangUpAt > 0 && !(rules.onlyFirst && n > 0) {
		_, _ = io.CopyN(log, nc, int64(rules.hangUpAt))
		return
	}
	var answers []string
	if len(rules.answers) > 0 {
		answers = rules.answers[min(n, len(rules.answers)-1)]
	}
	r := bufio.NewReader(io.TeeReader(nc, log))
	for {
		if len(answers) > 0 && answers[0] == hangUp {
			return
		}
		if _, err := readFrame(r, nil); err != nil {
			if rules.drain && nc.SetReadDeadline(time.Now().Add(20*time.Millisecond)) == nil {
				_, _ = io.Copy(log, nc)
			}
			return
		}
		say := "+OK\r\n"
		if len(answers) > 0 {
			say, answers = answers[0], answers[1:]
		}
		if say == silent {
			continue
		}
		text, closes := strings.CutSuffix(say, hangUp)
		if _, err := io.WriteString(nc, text); err != nil || closes {
			return
		}
	}
}

// migrating is a server that runs MIGRATE, and what it sends to replicas.
type migrating struct {
	c       *NetConn
	effects func() ([]byte, error) // what has been sent to replicas since the last call, and a mark
	pass    func(d time.Duration)  // lets time pass
}

// oracleMigrating returns the oracle as a server that runs MIGRATE.
func oracleMigrating(t *testing.T, o *Oracle) *migrating {
	pipe, err := newNetPipe(o.Addr)
	require.NoError(t, err)
	t.Cleanup(pipe.Close)
	replica, err := startReplica(pipe)
	require.NoError(t, err)
	t.Cleanup(func() { replica.c.Close() })
	c, err := o.Open()
	require.NoError(t, err)
	t.Cleanup(c.Close)
	effects := func() (sent []byte, err error) {
		for {
			frame, err := readFrame(replica.r, nil)
			if err != nil || isMark(frame) {
				return sent, err
			}
			if !bytes.Contains(frame, []byte("\r\nREPLCONF\r\n")) { // asks the replica
				sent = append(sent, frame...)
			}
		}
	}
	return &migrating{c: c.(*NetConn), effects: effects, pass: o.Pass}
}

// ourMigrating is oracleMigrating for a fresh engine.
func ourMigrating(t *testing.T, o engine.Options) *migrating {
	r, err := serveRedmoon(o, Present())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.stop()) })
	var mu sync.Mutex
	var sent []byte
	stream := &server.EffectStream{To: server.ToReplicas}
	err = enginedoor.Of(r.Engine).Receive(server.ToReplicas, func(list []server.Effect, together bool) {
		mu.Lock()
		defer mu.Unlock()
		sent = stream.Append(sent, list, together)
	})
	require.NoError(t, err)
	c, err := r.Open()
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &migrating{c: c.(*NetConn), pass: r.Pass, effects: func() ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		all := bytes.TrimSuffix(sent, resp.AppendCommand(nil, "PUBLISH", eventMark, ""))
		sent = nil
		return all, nil
	}}
}

// sent returns what has been sent to replicas since the last call.
func (m *migrating) sent(t *testing.T) string {
	t.Helper()
	m.do(t, "PUBLISH", eventMark, "")
	sent, err := m.effects()
	require.NoError(t, err)
	return string(sent)
}

func (m *migrating) do(t *testing.T, args ...string) string {
	t.Helper()
	raw, err := m.c.Do(args)
	require.NoError(t, err, args)
	return string(raw)
}

// line reads the value of a field of INFO.
func (m *migrating) line(t *testing.T, section, field string) string {
	for _, line := range strings.Split(m.do(t, "INFO", section), "\r\n") {
		if v, ok := strings.CutPrefix(line, field+":"); ok {
			return v
		}
	}
	return "none"
}
