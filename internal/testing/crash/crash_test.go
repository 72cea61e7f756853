package crash

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// The environment of a child: the directory of its files, and the value of appendfsync.
const (
	envDir   = "REDMOON_CRASH_DIR"
	envFsync = "REDMOON_CRASH_FSYNC"
)

// envKills sets the number of kills of TestKilledUnderLoad.
const envKills = "REDMOON_KILLS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		if err := serve(dir, os.Getenv(envFsync)); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	redis.SetLogger(silent{})
	os.Exit(m.Run())
}

// silent drops what go-redis logs about connections that end.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// serve is the child: it prints its address when the data set is loaded, and serves until it is
// killed or its standard input ends.
func serve(dir, fsync string) error {
	e, err := engine.New(engine.Options{Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: true, AppendFsync: fsync}),
		Config: map[string]string{"auto-aof-rewrite-min-size": "256kb"}}) // so that it is rewritten under the load
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0) // the test has ended
	}()
	fmt.Println(l.Addr())
	return resp.NewServer(e, resp.Options{}).Serve(l)
}

// subject is a server that can be killed and started again.
type subject interface {
	start(t *testing.T) (addr string)
	kill()
}

// child is a subject of this program.
type child struct {
	dir, fsync string
	cmd        *exec.Cmd
	in         io.WriteCloser
}

func (c *child) start(t *testing.T) string {
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), envDir+"="+c.dir, envFsync+"="+c.fsync)
	var err error
	c.in, err = c.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NotContains(t, line, "error")
	return strings.TrimSpace(line)
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // it was killed
	_ = c.in.Close()
}

// oracle is a redis-server.
type oracle struct{ s *redistest.Server }

func (o *oracle) start(t *testing.T) string {
	if o.s == nil {
		s, err := redistest.Start("--appendonly", "yes", "--appendfsync", "always")
		require.NoError(t, err)
		t.Cleanup(s.Stop)
		o.s = s
	} else {
		require.NoError(t, o.s.Restart())
	}
	return o.s.Addr
}

func (o *oracle) kill() { o.s.Kill() }

// rain is the load and what is known of it.
type rain struct {
	packets  int
	next     atomic.Int64 // number of the next user
	mu       sync.Mutex
	answered map[string]answer // the grabs that have been answered, by user
}

// answer is an answered grab.
type answer struct {
	packet redpacket.Packet
	at     time.Time
}

const workers = 20

func activity(t *testing.T, addr string) (*redpacket.Activity, func()) {
	rdb := redis.NewClient(&redis.Options{Addr: addr, PoolSize: workers, MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true})
	a, err := redpacket.New(goredis.New(rdb), "rain", redpacket.Options{Sender: "sender"})
	require.NoError(t, err)
	return a, func() { _ = rdb.Close() }
}

func (r *rain) open(t *testing.T, a *redpacket.Activity) {
	var list []redpacket.Packet
	for i := range r.packets {
		list = append(list, redpacket.Packet{ID: fmt.Sprint("p", i), Amount: int64(i%100 + 1)})
	}
	require.NoError(t, a.Open(context.Background(), list))
}

// grab lets workers grab until calls fail.
func (r *rain) grab(a *redpacket.Activity) {
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for {
				user := fmt.Sprint("u", r.next.Add(1))
				g, err := a.Grab(context.Background(), user)
				if g.Outcome == redpacket.Empty {
					return
				}
				if err != nil {
					return // nobody knows whether this user has a packet
				}
				r.mu.Lock()
				r.answered[user] = answer{g.Packet, time.Now()}
				r.mu.Unlock()
			}
		})
	}
	wait.Wait()
}

// check compares the answers with the records. Answers that are at most lost old when the server
// dies may be missing.
func (r *rain) check(t *testing.T, a *redpacket.Activity, died time.Time, lost time.Duration) {
	ctx := context.Background()
	st, err := a.Status(ctx)
	require.NoError(t, err)
	require.EqualValues(t, r.packets, st.Packets)
	require.Equal(t, st.Users, st.Records)
	require.EqualValues(t, r.packets, st.Left+st.Records)
	users, packets, given := map[string]redpacket.Packet{}, map[string]bool{}, int64(0)
	for offset := 0; offset < int(st.Records); offset += 1000 {
		list, err := a.Records(ctx, offset, 1000)
		require.NoError(t, err)
		for _, rec := range list {
			require.NotContains(t, users, rec.User, "a user has two packets")
			require.NotContains(t, packets, rec.ID, "a packet was given twice")
			users[rec.User], packets[rec.ID] = rec.Packet, true
			given += rec.Amount
		}
	}
	require.Equal(t, st.Given, given)
	require.EqualValues(t, st.Records, len(users))
	r.mu.Lock()
	defer r.mu.Unlock()
	for user, grab := range r.answered {
		got, there := users[user]
		if !there && died.Sub(grab.at) <= lost {
			delete(r.answered, user)
			continue
		}
		require.True(t, there, "the answered grab of %s is missing, %s before the end", user, died.Sub(grab.at))
		require.Equal(t, grab.packet, got)
	}
}

// rounds kills s so many times under the load.
func rounds(t *testing.T, s subject, kills int, lost time.Duration) {
	r := &rain{packets: 2000 + 400*kills, answered: map[string]answer{}}
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	start := time.Now()
	for i := range kills {
		a, hangUp := activity(t, s.start(t))
		if i == 0 {
			r.open(t, a)
		}
		ended := make(chan time.Time)
		go func() {
			timer := time.NewTimer(time.Duration(rnd.Int64N(int64(60 * time.Millisecond))))
			<-timer.C
			died := time.Now()
			s.kill()
			ended <- died
		}()
		r.grab(a)
		died := <-ended
		hangUp()
		a, hangUp = activity(t, s.start(t))
		r.check(t, a, died, lost)
		hangUp()
		s.kill()
	}
	t.Logf("%d kills, %d grabs answered, %d users, none missing, %.1f s",
		kills, len(r.answered), r.next.Load(), time.Since(start).Seconds())
	require.Greater(t, len(r.answered), kills)
}

func kills(t *testing.T, normal int) int {
	text := os.Getenv(envKills)
	if text == "" {
		return normal
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// season is the number of kills after which new files are begun, so that checking them stays quick.
const season = 25

// TestKilledUnderLoad kills an engine with appendfsync always. REDMOON_KILLS sets how often.
func TestKilledUnderLoad(t *testing.T) {
	for left := kills(t, 8); left > 0; left -= season {
		rounds(t, &child{dir: t.TempDir(), fsync: "always"}, min(left, season), 0)
	}
}

// A process that dies loses nothing of what the kernel has, so everysec loses at most what was not
// yet written.
func TestKilledUnderLoadEverySecond(t *testing.T) {
	rounds(t, &child{dir: t.TempDir(), fsync: "everysec"}, 4, time.Second)
}

// TestRedisServerKilledUnderLoad shows that the checks are right: a redis-server passes them.
func TestRedisServerKilledUnderLoad(t *testing.T) {
	redistest.Need(t)
	rounds(t, &oracle{}, 3, 0)
}

// A file that is cut at any byte, as a torn write leaves it, has whole scripts only.
func TestTornFile(t *testing.T) {
	c := &child{dir: t.TempDir(), fsync: "always"}
	a, hangUp := activity(t, c.start(t))
	r := &rain{packets: 300, answered: map[string]answer{}}
	r.open(t, a)
	r.grab(a)
	hangUp()
	c.kill()
	files, err := filepath.Glob(filepath.Join(c.dir, "appendonlydir", "*.incr.aof"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	path := files[len(files)-1]
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(7, 7))
	seen := map[int64]bool{}
	for range 20 {
		cut := len(whole)/4 + rnd.IntN(len(whole)*3/4)
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o644))
		e, err := engine.New(engine.Options{Persistence: persist.New(persist.Options{Dir: c.dir, AppendOnly: true})})
		require.NoError(t, err, cut)
		a, err := redpacket.New(e, "rain", redpacket.Options{Sender: "sender"})
		require.NoError(t, err)
		st, err := a.Status(context.Background())
		require.NoError(t, err)
		seen[st.Records] = true
		if st.State == redpacket.Open {
			part := &rain{packets: 300, answered: map[string]answer{}}
			part.check(t, a, time.Time{}, 0)
		}
		require.NoError(t, errors.Join(e.Check(context.Background()), e.Close()))
	}
	require.Greater(t, len(seen), 5)
}
