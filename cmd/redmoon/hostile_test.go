//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/hostile"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/resp"
)

const (
	hostileHeap = "512MiB"               // GOMEMLIMIT of the server
	hostilePeak = 2 << 20                // peak memory of the process, KiB, at most
	hostilePing = 200 * time.Millisecond // a PING that takes longer is logged
)

// TestServeSurvivesHostileClients runs hostile programs from four clients against a server with
// little memory. A fifth client sends PING, and a sixth ends long scripts. REDMOON_HOSTILE is the
// duration; without it each client runs a few programs. The log says how long PING takes: that
// depends on the machine, so no test compares it.
func TestServeSurvivesHostileClients(t *testing.T) {
	tier.Landing(t)
	enough, stop := 20, make(chan struct{})
	longest := time.Duration(math.MaxInt64) // the 99th percentile of PING
	if s := os.Getenv("REDMOON_HOSTILE"); s != "" {
		longest = 200 * time.Millisecond
		lasts, err := time.ParseDuration(s)
		require.NoError(t, err)
		enough = math.MaxInt
		time.AfterFunc(lasts, func() { close(stop) })
	}
	server := startHostileServer(t)
	over, played, now := playCorpus(t, server.addr, enough, stop)
	pings, busy := measurePings(t, server.addr, over, now)
	require.NotEmpty(t, pings)
	slices.Sort(pings)
	at := func(share float64) time.Duration { return pings[int(share*float64(len(pings)-1))] }
	peak := server.peak(t)
	t.Logf("%d programs, PING %d times (%d answered BUSY): p50 %v, p99 %v, p99.9 %v, longest %v; memory at most %d MiB",
		played(), len(pings), busy, at(0.5), at(0.99), at(0.999), at(1), peak>>10)
	require.Less(t, peak, hostilePeak)
	require.LessOrEqual(t, at(0.99), longest)
	server.stop(t)
}

type hostileServer struct {
	addr string
	cmd  *exec.Cmd
	log  *strings.Builder // what it writes to stderr
	mu   *sync.Mutex      // guards log
}

func startHostileServer(t *testing.T) *hostileServer {
	bin := filepath.Join(t.TempDir(), "redmoon")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	s := &hostileServer{log: &strings.Builder{}, mu: &sync.Mutex{}}
	s.cmd = exec.Command("sh", "-c", `ulimit -v 8000000; exec "$0" "$@"`, bin, "serve", "--addr", "127.0.0.1:0", "--config", "save=",
		"--config", "busy-reply-threshold=20", "--config", "maxmemory=100mb", "--config", "proto-max-bulk-len=64mb")
	s.cmd.Dir = patience.TempDir(t) // SAVE writes there
	s.cmd.Env = append(os.Environ(), "GOMEMLIMIT="+hostileHeap)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	runtime.LockOSThread() // the server ends with the thread that started it
	t.Cleanup(runtime.UnlockOSThread)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	go func() {
		for lines := bufio.NewReader(stderr); ; {
			line, err := lines.ReadString('\n')
			s.mu.Lock()
			if s.log.Len() < 1<<16 && !strings.Contains(line, "busy-reply-threshold") {
				s.log.WriteString(line)
			}
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	lines := bufio.NewScanner(stdout)
	require.True(t, lines.Scan())
	s.addr = strings.TrimPrefix(lines.Text(), "listening on ")
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return s
}

// peak returns the peak memory of the process in KiB.
func (s *hostileServer) peak(t *testing.T) (kib int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	require.NoError(t, err, "the server has ended: %s", s.said())
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	require.True(t, ok, "the server has ended: %s", s.said())
	_, err = fmt.Sscanf(rest, "%d", &kib)
	require.NoError(t, err)
	return kib
}

func (s *hostileServer) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

func (s *hostileServer) stop(t *testing.T) {
	c := dialHostile(t, s.addr)
	_, err := c.ask("SHUTDOWN", "NOSAVE")
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, s.cmd.Wait(), "%s", s.said())
}

// hostileClient is one connection.
type hostileClient struct {
	nc net.Conn
	in *bufio.Reader
}

func dialHostile(t assert.TestingT, addr string) *hostileClient {
	nc, err := net.Dial("tcp", addr)
	if !assert.NoError(t, err) {
		return nil
	}
	return &hostileClient{nc, bufio.NewReaderSize(nc, 1<<16)}
}

// ask sends a command and returns the first line of its reply. Replies may be large and deep, so
// the rest of it is read and dropped.
func (c *hostileClient) ask(args ...string) (first string, err error) {
	if err := c.nc.SetDeadline(patience.Deadline()); err != nil {
		return "", err
	}
	if _, err := c.nc.Write(resp.AppendCommand(nil, args...)); err != nil {
		return "", err
	}
	for values := 1; values > 0; values-- {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return "", err
		}
		if first == "" {
			first = line
		}
		n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
		switch line[0] {
		case '*', '~', '>':
			values += max(n, 0)
		case '%':
			values += 2 * n
		case '$', '=':
			if n >= 0 {
				_, err = c.in.Discard(n + len("\r\n"))
			}
		}
		if err != nil {
			return "", err
		}
	}
	return first, nil
}

// insist repeats a command until the server is no longer busy with another client's script.
func (c *hostileClient) insist(args []string) error {
	var broken error
	return errors.Join(patience.Try(func() error {
		line, err := c.ask(args...)
		if err == nil && isBusy(line) {
			return errors.New(line)
		}
		broken = err
		return nil
	}), broken)
}

func isBusy(line string) bool { return strings.HasPrefix(line, "-BUSY ") }

// playCorpus starts the clients that run programs, and the one that ends them. Each client runs
// enough programs, or ends when stop is closed. Then over is closed. played waits for that and
// returns the number of programs run. now returns the programs that are running.
func playCorpus(t *testing.T, addr string, enough int, stop <-chan struct{}) (over chan struct{}, played func() int, now func() []string) {
	found, err := hostile.Found()
	require.NoError(t, err)
	corpus := append(hostile.Listed(), found...)
	var wg sync.WaitGroup
	counts := make([]int, 4)
	playing := make([]atomic.Pointer[hostile.Program], len(counts))
	for i := range counts {
		wg.Go(func() {
			c := dialHostile(t, addr)
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for c != nil {
				for _, n := range r.Perm(len(corpus)) {
					playing[i].Store(&corpus[n])
					for _, args := range corpus[n].Killable() {
						if err := c.insist(args); !assert.NoError(t, err, "%s", corpus[n].Name) {
							return
						}
					}
					counts[i]++
					select {
					case <-stop:
						return
					default:
						if counts[i] == enough {
							return
						}
					}
				}
			}
		})
	}
	over = make(chan struct{})
	go func() {
		wg.Wait()
		close(over)
	}()
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		c := dialHostile(t, addr)
		tick := time.NewTicker(300 * time.Millisecond)
		defer tick.Stop()
		for c != nil {
			select {
			case <-over:
				return
			case <-tick.C:
				for _, library := range []string{"SCRIPT", "FUNCTION"} {
					if _, err := c.ask(library, "KILL"); !assert.NoError(t, err) {
						return
					}
				}
			}
		}
	}()
	played = func() (sum int) {
		<-over
		<-killed
		for _, n := range counts {
			sum += n
		}
		return sum
	}
	now = func() (names []string) {
		for i := range playing {
			if p := playing[i].Load(); p != nil {
				names = append(names, p.Name)
			}
		}
		return names
	}
	return over, played, now
}

// measurePings sends PING until over is closed. It returns the response times and the number of
// BUSY replies. It logs the running programs when a reply took long.
func measurePings(t *testing.T, addr string, over <-chan struct{}, now func() []string) (times []time.Duration, busy int) {
	c := dialHostile(t, addr)
	require.NotNil(t, c)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return times, busy
		case <-tick.C:
			began := time.Now()
			line, err := c.ask("PING")
			took := time.Since(began)
			if times = append(times, took); took > hostilePing {
				t.Logf("PING took %v while %v were played", took, now())
			}
			require.NoError(t, err)
			if isBusy(line) {
				busy++
			} else {
				require.Equal(t, "+PONG\r\n", line)
			}
		}
	}
}
