package crash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// rewrite lets the server at addr write new base files and dumps until it dies. stop waits for
// that.
func rewrite(t *testing.T, addr string) (stop func()) {
	var wait sync.WaitGroup
	for _, command := range [][]any{{"BGREWRITEAOF"}, {"BGSAVE", "SCHEDULE"}} {
		wait.Go(func() {
			rdb := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1})
			defer func() { _ = rdb.Close() }()
			for {
				err := rdb.Do(context.Background(), command...).Err()
				if refused := redis.Error(nil); errors.As(err, &refused) {
					if !strings.Contains(err.Error(), "progress") {
						t.Errorf("%v: %v", command, err)
						return
					}
				} else if err != nil {
					return // killed
				}
			}
		})
	}
	return wait.Wait
}

// dump keeps BGSAVE running until the server is killed. saved returns when the last dump that is
// complete began, or when this call was made if there is none.
func dump(t *testing.T, addr string) (stop func(), saved func() time.Time) {
	rdb := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1})
	ctx, last, done := context.Background(), time.Now(), make(chan struct{})
	require.NoError(t, rdb.Save(ctx).Err()) // what was written before the load
	go func() {
		defer close(done)
		for {
			began := time.Now()
			if rdb.BgSave(ctx).Err() != nil {
				return // killed
			}
			for running := true; running; {
				info, err := rdb.InfoMap(ctx, "persistence").Result()
				if err != nil {
					return
				}
				running = info["Persistence"]["rdb_bgsave_in_progress"] == "1"
				if status := info["Persistence"]["rdb_last_bgsave_status"]; status != "ok" {
					t.Errorf("rdb_last_bgsave_status is %s", status)
				}
			}
			last = began
		}
	}()
	return func() { <-done; _ = rdb.Close() }, func() time.Time { return last }
}

// markKey holds the number of the last mark.
const markKey = "mark"

// marks writes one number after the other to a key until the server is killed.
type marks struct {
	first int
	mu    sync.Mutex
	times []time.Time // when first was looked up, and when the following ones were about to be sent
	stop  func()      // waits for the end
}

func mark(t *testing.T, addr string) *marks {
	rdb := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1})
	m, done := &marks{times: []time.Time{time.Now()}}, make(chan struct{})
	first, err := rdb.IncrBy(context.Background(), markKey, 0).Result()
	require.NoError(t, err)
	m.first = int(first)
	go func() {
		defer close(done)
		for rdb.Set(context.Background(), markKey, m.next(), 0).Err() == nil {
		}
	}()
	m.stop = func() { <-done; _ = rdb.Close() }
	return m
}

func (m *marks) next() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.times = append(m.times, time.Now())
	return m.first + len(m.times) - 1
}

// sent returns when a number was about to be sent: a server that has it has all that was answered
// before.
func (m *marks) sent(number int) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.times[number-m.first]
}

// awaitWritten returns when a number is in the file that was sent later than this call.
func (m *marks) awaitWritten(dir string) error {
	m.mu.Lock()
	want := m.first + len(m.times)
	m.mu.Unlock()
	return patience.Try(func() error {
		path, err := increment(dir)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, last, found := cutLast(string(data), "\r\n$4\r\n"+markKey+"\r\n$")
		_, last, _ = strings.Cut(last, "\r\n")
		last, _, whole := strings.Cut(last, "\r\n")
		if number, err := strconv.Atoi(last); !found || !whole || err != nil || number < want {
			return fmt.Errorf("the last mark that is written is %q, want %d", last, want)
		}
		return nil
	})
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// lastMark returns the last mark that a server has.
func lastMark(t *testing.T, addr string) int {
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	defer func() { _ = rdb.Close() }()
	n, err := rdb.Get(context.Background(), markKey).Int()
	require.NoError(t, err)
	return n
}

// lastIncrement returns the path of the file that was written last, by the manifest in dir.
func lastIncrement(t *testing.T, dir string) string {
	path, err := increment(dir)
	require.NoError(t, err)
	return path
}

func increment(dir string) (path string, err error) {
	folder := filepath.Join(dir, "appendonlydir")
	manifest, err := os.ReadFile(filepath.Join(folder, "appendonly.aof.manifest"))
	for line := range strings.Lines(string(manifest)) {
		if f := strings.Fields(line); len(f) >= 6 && f[5] == "i" {
			path = filepath.Join(folder, f[1])
		}
	}
	if err == nil && path == "" {
		err = errors.New("the manifest has no increment")
	}
	return path, err
}

var (
	multi  = []byte("*1\r\n$5\r\nMULTI\r\n")
	commit = []byte("*1\r\n$4\r\nEXEC\r\n")
)

// tear makes the end of the append-only file in dir what a torn write leaves. If the file ends with
// transactions that were not answered, it is cut somewhere in them. If not, a part of a transaction
// is added. The results say which, as a 1.
func tear(t *testing.T, r *rain, dir string, rnd *rand.Rand) (cut, added int) {
	path := lastIncrement(t, dir)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	safe := r.answeredEnd(data)
	if safe < len(data) {
		require.NoError(t, os.Truncate(path, int64(safe+rnd.IntN(len(data)-safe))))
		return 1, 0
	}
	// As the grab of one more user that takes the first packet of the list.
	torn := multi
	if start := bytes.LastIndex(data, multi); start >= 0 {
		torn = data[start:]
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.Write(torn[:1+rnd.IntN(len(torn)-1)])
	require.NoError(t, errors.Join(err, f.Close()))
	return 0, 1
}

var grabber = regexp.MustCompile(`"user":"(u[0-9]+)"`)

// answeredEnd returns the offset in data after the last transaction that was answered.
func (r *rain) answeredEnd(data []byte) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := len(data)
	for {
		start := bytes.LastIndex(data[:end], multi)
		if start < 0 {
			return end
		}
		user := grabber.FindSubmatch(data[start:end])
		if closed := bytes.LastIndex(data[start:end], commit); closed >= 0 {
			if user == nil { // the transaction that opened the list
				return start + closed + len(commit)
			}
			if _, answered := r.answered[string(user[1])]; answered {
				return start + closed + len(commit)
			}
		}
		end = start
	}
}
