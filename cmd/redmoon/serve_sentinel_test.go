//go:build linux

package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// sentinels are three Sentinels and the two servers that they watch.
type sentinels struct {
	t       *testing.T
	watch   []*redistest.Server
	servers map[string]*redistest.Server // by address
}

// master returns the master that a Sentinel names.
func (s *sentinels) master(i int) (string, error) {
	v, err := s.watch[i].Do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "m")
	if err != nil {
		return "", err
	}
	at := v.Strings()
	if len(at) != 2 {
		return "", fmt.Errorf("no master: %v", at)
	}
	return net.JoinHostPort(at[0], at[1]), nil
}

// logs shows the end of a server's log if the test fails.
func (s *sentinels) logs(server *redistest.Server) {
	s.t.Cleanup(func() {
		if s.t.Failed() {
			text := readFile(filepath.Join(server.Dir, "log"))
			s.t.Logf("%s:\n%s", server.Addr, text[max(0, len(text)-6000):])
		}
	})
}

// until waits until f returns nil.
func (s *sentinels) until(f func() error) {
	s.t.Helper()
	require.NoError(s.t, patience.Try(f))
}

// failOver makes the other server the master: by the command of a Sentinel, or because the master
// is killed. It returns when the old master follows the new one and all Sentinels have seen it.
func (s *sentinels) failOver(kill bool) {
	before, err := s.master(0)
	require.NoError(s.t, err)
	if kill {
		s.servers[before].Kill()
	} else {
		s.until(func() error {
			_, err := s.watch[0].Do("SENTINEL", "FAILOVER", "m")
			return err
		})
	}
	after := ""
	for i := range s.watch {
		s.until(func() (err error) {
			if after, err = s.master(i); err == nil && after == before {
				err = fmt.Errorf("Sentinel %d: the master is still %s", i, after)
			}
			return err
		})
	}
	if kill {
		require.NoError(s.t, s.servers[before].Restart())
	}
	for i, w := range s.watch { // a Sentinel makes a replica of what it still takes for a second master
		s.until(func() error {
			v, err := w.Do("SENTINEL", "REPLICAS", "m")
			if err != nil {
				return err
			}
			for _, r := range v.Slice() {
				f := fieldMap(r)
				if f["name"] != before || f["flags"] != "slave" || f["role-reported"] != "slave" || f["master-link-status"] != "ok" {
					return fmt.Errorf("Sentinel %d: %s does not follow %s: %v", i, before, after, f)
				}
			}
			return nil
		})
	}
}

// fieldMap returns the fields of a reply that lists names and values.
func fieldMap(v reply.Value) map[string]string {
	fields := map[string]string{}
	for list := v.Strings(); len(list) > 1; list = list[2:] {
		fields[list[0]] = list[1]
	}
	return fields
}

// load writes to the master that a Sentinel names and notes what a replica has confirmed.
type load struct {
	s         *sentinels
	stop      chan struct{}
	mu        sync.Mutex
	confirmed []string
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.confirmed)
}

func (l *load) run() {
	stopped := func() bool {
		select {
		case <-l.stop:
			return true
		default:
			return false
		}
	}
	for i := 0; !stopped(); {
		var conn net.Conn
		err := patience.Try(func() error {
			addr, err := l.s.master(1)
			if err == nil {
				conn, err = net.Dial("tcp", addr)
			}
			if stopped() {
				return nil
			}
			return err
		})
		if err != nil {
			l.s.t.Error(err)
		}
		if conn == nil {
			return
		}
		d := resp.NewDecoder(conn)
		for err == nil && !stopped() {
			i++
			key := "key:" + strconv.Itoa(i)
			_ = conn.SetDeadline(patience.Deadline())
			_, err = conn.Write(resp.AppendCommand(resp.AppendCommand(nil, "SET", key, key), "WAIT", "1", "200"))
			for _, want := range []string{"OK", "1"} {
				if err != nil {
					break
				}
				v, e := d.Decode()
				if err = e; err == nil && v.Text() != want {
					err = fmt.Errorf("%s: %v", key, v)
				}
			}
			if err == nil {
				l.mu.Lock()
				l.confirmed = append(l.confirmed, key)
				l.mu.Unlock()
			}
		}
		conn.Close()
	}
}

// TestSentinel lets three Sentinels fail over between this program and redis-server, in both
// directions, by command and after kill -9, while a client writes. What WAIT 1 has confirmed is
// there in the end. REDMOON_FAILOVERS is the number of failovers.
func TestSentinel(t *testing.T) {
	tier.Nightly(t)
	theirs, ours := bothPrograms(t)
	failovers := tier.Number("REDMOON_FAILOVERS", 1, 1)
	t.Parallel()
	s := &sentinels{t: t, servers: map[string]*redistest.Server{}}
	start := func(program string) *redistest.Server {
		server := startProgram(t, program, "--repl-diskless-sync-delay", "0")
		s.logs(server)
		s.servers[server.Addr] = server
		return server
	}
	master, replica := start(ours), start(theirs)
	host, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	_, err = replica.Do("REPLICAOF", host, port)
	require.NoError(t, err)
	for range 3 {
		w, err := redistest.StartSentinel("m", master, 5*time.Second, 2)
		require.NoError(t, err)
		t.Cleanup(w.Stop)
		s.logs(w)
		s.watch = append(s.watch, w)
	}
	for i, w := range s.watch {
		s.until(func() error {
			v, err := w.Do("SENTINEL", "MASTER", "m")
			if err != nil {
				return err
			}
			fields := fieldMap(v)
			if fields["num-slaves"] != "1" || fields["num-other-sentinels"] != "2" {
				return fmt.Errorf("Sentinel %d sees %v", i, fields)
			}
			return nil
		})
	}
	l := &load{s: s, stop: make(chan struct{})}
	var running sync.WaitGroup
	running.Go(l.run)
	end := sync.OnceFunc(func() { close(l.stop); running.Wait() })
	defer end()
	for i := range failovers {
		before := l.count()
		s.until(func() error {
			if n := l.count(); n < before+100 {
				return fmt.Errorf("%d writes were confirmed", n-before)
			}
			return nil
		})
		s.failOver(i%4 == 1 || i%4 == 2)
	}
	end()
	at, err := s.master(0)
	require.NoError(t, err)
	lost := 0
	for _, key := range l.confirmed {
		if v, err := s.servers[at].Do("GET", key); err != nil || v.Text() != key {
			lost++
		}
	}
	require.Zero(t, lost, "lost of %d writes", len(l.confirmed))
	t.Logf("%d failovers, %d writes were confirmed by WAIT 1, none is lost", failovers, len(l.confirmed))
	s.until(func() error {
		a, err := master.Do("DEBUG", "DIGEST")
		if err != nil {
			return err
		}
		b, err := replica.Do("DEBUG", "DIGEST")
		if err == nil && a.Text() != b.Text() {
			err = fmt.Errorf("the servers differ: %s, %s", a.Text(), b.Text())
		}
		return err
	})
}
