package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// envKills sets the number of kills of TestKilledUnderLoad.
const envKills = "REDMOON_KILLS"

// silent drops what go-redis logs about connections that end.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// subject is a server that can be killed and started again.
type subject interface {
	start(t *testing.T) (addr string)
	kill()
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
	enough   chan struct{}     // closed when more than enoughAt grabs have been answered
	enoughAt int
	failed   error
	lost     int // answered grabs that everysec may lose, and did
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

// after returns a channel that is closed after n more answers.
func (r *rain) after(n int) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enough, r.enoughAt = make(chan struct{}), len(r.answered)+n
	if n == 0 {
		close(r.enough)
	}
	return r.enough
}

// grab lets workers grab until calls fail. If pace is not 0, each of them grabs once in that time.
func (r *rain) grab(a *redpacket.Activity, pace time.Duration) {
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for {
				if pace > 0 {
					<-time.After(pace)
				}
				user := fmt.Sprint("u", r.next.Add(1))
				g, err := a.Grab(context.Background(), user)
				if g.Outcome == redpacket.Empty {
					return
				}
				if err != nil { // nobody knows whether this user has a packet
					r.mu.Lock()
					r.failed = err
					r.mu.Unlock()
					return
				}
				r.mu.Lock()
				r.answered[user] = answer{g.Packet, time.Now()}
				if len(r.answered) == r.enoughAt {
					close(r.enough)
				}
				r.mu.Unlock()
			}
		})
	}
	wait.Wait()
}

// check compares the answers with the records. Answers since a time may be missing; none if it is
// zero.
func (r *rain) check(t *testing.T, a *redpacket.Activity, since time.Time) {
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
			_, twice := users[rec.User]
			require.False(t, twice, "a user has two packets")
			require.False(t, packets[rec.ID], "a packet was given twice")
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
		if !there && !since.IsZero() && !grab.at.Before(since) {
			delete(r.answered, user)
			r.lost++
			continue
		}
		require.True(t, there, "the answered grab of %s is missing", user)
		require.Equal(t, grab.packet, got)
	}
}

// plan says what rounds does.
type plan struct {
	kills int
	marks string        // directory; only what was answered before the last mark in its files must be there
	torn  string        // directory whose append-only file is torn after each kill
	files bool          // BGREWRITEAOF and BGSAVE run all the time
	dumps bool          // only what the last dump has must be there; BGSAVE runs all the time
	pace  time.Duration // between two grabs of a worker
	delay time.Duration // a kill comes at most so long after a random number of answers
}

// rounds kills s under the load.
func rounds(t *testing.T, s subject, p plan) {
	r := &rain{packets: 2000 + 2000*p.kills, answered: map[string]answer{}}
	rnd := newRand(t)
	var cut, added int
	for i := range p.kills {
		addr := s.start(t)
		a, hangUp := activity(t, addr)
		if i == 0 {
			r.open(t, a)
		}
		stop, since, ready := func() {}, func() time.Time { return time.Time{} }, func() error { return nil }
		if p.files {
			stop = rewrite(t, addr)
		}
		if p.dumps {
			stop, since = dump(t, addr)
		}
		var m *marks
		if p.marks != "" {
			m = mark(t, addr)
			stop, ready = m.stop, func() error { return m.awaitWritten(p.marks) }
		}
		enough, delay := r.after(rnd.IntN(150)), time.Duration(rnd.Int64N(int64(p.delay)))
		grabbed, ended := make(chan struct{}), make(chan error)
		go func() {
			select { // in the middle of the load, however slow the machine is
			case <-enough:
			case <-grabbed:
			}
			select {
			case <-time.After(delay):
			case <-grabbed:
			}
			err := ready()
			s.kill()
			ended <- err
		}()
		r.grab(a, p.pace)
		close(grabbed)
		require.NoError(t, <-ended)
		hangUp()
		stop()
		if p.torn != "" {
			c, n := tear(t, r, p.torn, rnd)
			cut, added = cut+c, added+n
		}
		addr = s.start(t)
		if m != nil {
			at := m.sent(lastMark(t, addr))
			since = func() time.Time { return at }
		}
		a, hangUp = activity(t, addr)
		r.check(t, a, since())
		hangUp()
		s.kill()
	}
	t.Logf("%d kills, %d grabs answered, %d users, none missing, none twice; %d times an unanswered end was cut, "+
		"%d times a part of a transaction was added; %d answered shortly before were lost",
		p.kills, len(r.answered), r.next.Load(), cut, added, r.lost)
	require.Greater(t, len(r.answered), p.kills)
	if p.torn != "" {
		require.Equal(t, p.kills, cut+added)
	}
}

// played counts the sources of random numbers that this process has made.
var played atomic.Uint64

// newRand returns a source of random numbers. REDMOON_SEED=n chooses others.
func newRand(t *testing.T) *rand.Rand {
	seed := tier.Seed()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, played.Add(1)))
}

// kills returns the number of kills: normal, or a part of what the environment says.
func kills(t *testing.T, normal, part int) int {
	text := os.Getenv(envKills)
	if text == "" {
		return tier.Amount(min(2, normal), normal)
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return max(1, n/part)
}

// season is the number of kills after which new files are begun, so that checking them stays quick.
const season = 25

// seasons does p with appendfsync set to fsync, or without an append-only file if that is "", kills
// times.
func seasons(t *testing.T, fsync string, kills int, torn bool, p plan) {
	if p.delay == 0 {
		p.delay = 3 * time.Millisecond
	}
	for left := kills; left > 0; left -= season {
		c := &child{dir: t.TempDir(), fsync: fsync}
		p.kills = min(left, season)
		if torn {
			p.torn = c.dir
		}
		if fsync == "everysec" {
			p.marks = c.dir
		}
		rounds(t, c, p)
		if t.Failed() {
			return
		}
	}
}

// TestKilledUnderLoad kills an engine with appendfsync always and tears the end of its file.
// REDMOON_KILLS sets how often.
func TestKilledUnderLoad(t *testing.T) {
	seasons(t, "always", kills(t, 8, 1), true, plan{})
}

// TestKilledWhileRewriting kills an engine that writes new base files and dumps all the time.
func TestKilledWhileRewriting(t *testing.T) {
	seasons(t, "always", kills(t, 5, 1), true, plan{files: true})
}

// A process that dies loses nothing of what the kernel has, so everysec loses at most what was not
// yet written. Marks among the grabs show what was.
func TestKilledUnderLoadEverySecond(t *testing.T) {
	tier.Landing(t)
	p := plan{delay: 1500 * time.Millisecond, pace: 20 * time.Millisecond}
	seasons(t, "everysec", kills(t, 2, 10), false, p)
}

// TestKilledWithDumps kills an engine that has dumps only, at any moment of BGSAVE. What was
// answered before the last complete dump began is there, and every script wholly or not at all.
func TestKilledWithDumps(t *testing.T) {
	tier.Landing(t)
	seasons(t, "", kills(t, 5, 10), false, plan{dumps: true, delay: 100 * time.Millisecond, pace: 5 * time.Millisecond})
}

// TestRedisServerKilledUnderLoad shows that the checks are right: a redis-server passes them.
func TestRedisServerKilledUnderLoad(t *testing.T) {
	redistest.Need(t)
	rounds(t, &oracle{}, plan{kills: 3, delay: 3 * time.Millisecond})
}

// A file that is cut at any byte, as a torn write leaves it, has whole scripts only.
func TestTornFile(t *testing.T) {
	c := &child{dir: t.TempDir(), fsync: "always"}
	a, hangUp := activity(t, c.start(t))
	r := &rain{packets: 300, answered: map[string]answer{}}
	r.open(t, a)
	r.grab(a, 0)
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
			part.check(t, a, time.Time{})
		}
		require.NoError(t, errors.Join(e.Check(context.Background()), e.Close()))
	}
	require.Greater(t, len(seen), 5)
}
