package recorder_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/recorder"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// target starts a redis-server.
func target(t *testing.T, args ...string) *redistest.Server {
	redistest.Need(t)
	s, err := redistest.Start(args...)
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return s
}

// serve serves an engine and returns the address.
func serve(t *testing.T, o engine.Options) string {
	e, err := engine.New(o)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := resp.NewServer(e, resp.Options{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		require.NoError(t, e.Close())
	})
	return l.Addr().String()
}

// onServers runs a test in front of an engine, and in front of a redis-server.
func onServers(t *testing.T, f func(t *testing.T, addr string)) {
	t.Run("engine", func(t *testing.T) { f(t, serve(t, engine.Options{})) })
	t.Run("redis-server", func(t *testing.T) { f(t, target(t).Addr) })
}

// recorded is a running recorder.
type recorded struct {
	*recorder.Recorder
	t    *testing.T
	path string

	mu   sync.Mutex
	logs []string
}

// record starts a recorder in front of a server.
func record(t *testing.T, addr string, change ...func(*recorder.Options)) *recorded {
	r := &recorded{t: t, path: filepath.Join(t.TempDir(), "session.rec")}
	o := recorder.Options{
		Listen: "127.0.0.1:0",
		Target: addr,
		Path:   r.path,
		Log: func(text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.logs = append(r.logs, text)
		},
	}
	for _, f := range change {
		f(&o)
	}
	r.path = o.Path
	var err error
	r.Recorder, err = recorder.Start(context.Background(), o)
	require.NoError(t, err)
	return r
}

// stop ends the recording.
func (r *recorded) stop() recorder.Summary {
	s, err := r.Stop()
	require.NoError(r.t, err)
	return s
}

// replay replays the recording.
func (r *recorded) replay(change ...func(*replay.Options)) *replay.Report {
	return replayFile(r.t, r.path, change...)
}

func replayFile(t *testing.T, path string, change ...func(*replay.Options)) *replay.Report {
	src, err := recording.OpenFile(path)
	require.NoError(t, err)
	defer src.Close()
	var o replay.Options
	if d := src.Header.Data; d != nil {
		o.Data = filepath.Join(filepath.Dir(path), d.File)
	}
	for _, f := range change {
		f(&o)
	}
	rep, err := replay.Run(context.Background(), src, o)
	require.NoError(t, err)
	return rep
}

// show writes a report for people who read a failed test.
func show(rep *replay.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d commands, %d same, allowed %v, not run %v, overtaken %d, %d differences\n",
		rep.Commands, rep.Same, rep.Allowed, rep.NotRun, rep.Overtaken, rep.Count())
	for i, d := range rep.Differences {
		if i == 10 {
			break
		}
		fmt.Fprintf(&b, "  %d/%d line %d %.200q\n    recorded %.300q\n    got      %.300q\n    overlaps %.300q\n",
			d.Conn, d.N, d.Line, d.Command, d.Recorded, d.Got, d.Overlaps)
	}
	return b.String()
}

// peer is a client that sends commands one after the other.
type peer struct {
	t   testing.TB
	nc  net.Conn
	dec *resp.Decoder
}

func dial(t testing.TB, addr string) *peer {
	network := "tcp"
	if strings.HasPrefix(addr, "/") {
		network = "unix"
	}
	nc, err := net.Dial(network, addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	return &peer{t, nc, resp.NewDecoder(nc)}
}

func (r *recorded) dial() *peer { return dial(r.t, r.Addr().String()) }

func (p *peer) send(lines ...string) {
	var out []byte
	for _, l := range lines {
		words, ok := resp.SplitWords(l)
		require.True(p.t, ok, l)
		out = resp.AppendCommand(out, words...)
	}
	_, err := p.nc.Write(out)
	require.NoError(p.t, err)
}

func (p *peer) read() reply.Value {
	v, err := p.dec.Decode()
	require.NoError(p.t, err)
	return v
}

// do sends commands one by one and returns the last reply.
func (p *peer) do(lines ...string) (v reply.Value) {
	for _, l := range lines {
		p.send(l)
		v = p.read()
	}
	return v
}

// events reads a recording.
func events(t *testing.T, path string) (list []recording.Event) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r, err := recording.NewReader(bufio.NewReader(f))
	require.NoError(t, err)
	for {
		ev, err := r.Next()
		if err != nil {
			return list
		}
		list = append(list, ev)
	}
}
