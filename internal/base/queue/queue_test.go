package queue_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/queue"
)

var errGone = errors.New("gone")

// sending returns a queue whose items are sent to a channel, which is closed at the end.
func sending() (*queue.Queue[int], <-chan int) {
	out := make(chan int)
	var q *queue.Queue[int]
	q = queue.New(queue.Consumer[int]{
		Deliver: func(items []int) {
			over := q.Over()
			for _, i := range items {
				select {
				case out <- i:
					q.Delivered(1)
				case <-over:
					return
				}
			}
		},
		End: func() { close(out) },
	})
	return q, out
}

func TestItemsKeepTheirOrder(t *testing.T) {
	q, out := sending()
	for i := range 1000 {
		require.EqualValues(t, i+1, q.Put(i, 1, 0))
	}
	for i := range 1000 {
		require.Equal(t, i, <-out)
	}
	q.Close(errGone)
	<-q.Done()
}

func TestEndDeliversWhatTheQueueHolds(t *testing.T) {
	q, out := sending()
	for i := range 10 {
		q.Put(i, 1, 0)
	}
	q.End()
	q.End()
	require.Zero(t, q.Put(10, 1, 0))
	var got []int
	for i := range out {
		got = append(got, i)
	}
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got)
	<-q.Done()
	require.Zero(t, q.Waiting())
	require.NoError(t, q.Err())
}

func TestCloseDropsWhatTheQueueHolds(t *testing.T) {
	q, out := sending()
	for i := range 10 {
		q.Put(i, 1, 0)
	}
	require.Equal(t, 0, <-out)
	q.Close(errGone)
	q.Close(errors.New("second"))
	q.End()
	require.Zero(t, q.Put(10, 1, 0))
	<-q.Done()
	_, open := <-out
	require.False(t, open)
	require.Equal(t, errGone, q.Err())
	<-q.Over()
}

// TestCloseAfterEnd closes a queue whose last items nobody receives.
func TestCloseAfterEnd(t *testing.T) {
	q, out := sending()
	q.Put(1, 1, 0)
	q.End()
	q.Close(errGone)
	<-q.Done()
	_, open := <-out
	require.False(t, open)
}

func TestAQueueWithoutItemsStartsNoGoroutine(t *testing.T) {
	for name, end := range map[string]func(*queue.Queue[int]){
		"End": (*queue.Queue[int]).End, "Close": func(q *queue.Queue[int]) { q.Close(errGone) },
	} {
		t.Run(name, func(t *testing.T) {
			q, out := sending()
			require.False(t, q.Started())
			end(q)
			require.False(t, q.Started())
			select {
			case <-q.Done():
			default:
				t.Fatal("not done")
			}
			_, open := <-out
			require.False(t, open)
			q.Start()
			require.Zero(t, q.Put(1, 1, 0))
			require.False(t, q.Started())
			q.End()
			q.Close(errGone)
		})
	}
}

func TestStartRunsOnceBeforeTheFirstItem(t *testing.T) {
	var calls []string
	q := queue.New(queue.Consumer[string]{
		Start:   func() { calls = append(calls, "start") },
		Deliver: func(items []string) { calls = append(calls, items...) },
		End:     func() { calls = append(calls, "end") },
	})
	q.Start()
	require.True(t, q.Started())
	q.Put("a", 0, 0)
	q.Put("b", 0, 0)
	q.End()
	<-q.Done()
	require.Equal(t, []string{"start", "a", "b", "end"}, calls)
}

// TestManySendersAndAClose puts items from several goroutines while another one closes the queue.
// Each goroutine's items must arrive in order, without gaps.
func TestManySendersAndAClose(t *testing.T) {
	const senders, each = 4, 500
	q, out := sending()
	var wg sync.WaitGroup
	for s := range senders {
		wg.Go(func() {
			for i := range each {
				q.Put(s*each+i, 1, 0)
			}
		})
	}
	next := [senders]int{}
	for i := range out {
		require.Equal(t, next[i/each], i%each)
		if next[i/each]++; i == senders*each/2 {
			q.Close(errGone)
		}
	}
	wg.Wait()
	<-q.Done()
	require.LessOrEqual(t, q.Waiting(), int64(senders*each))
}

func BenchmarkPut(b *testing.B) {
	q := queue.New(queue.Consumer[int]{Deliver: func([]int) {}})
	for i := range b.N {
		q.Put(i, 1, 0)
	}
	q.End()
	<-q.Done()
}

// Add may change the last item, as long as it waits.
func TestAddJoinsItems(t *testing.T) {
	got, next := make(chan []int), make(chan struct{})
	q := queue.New(queue.Consumer[int]{Deliver: func(items []int) {
		got <- items
		<-next
	}})
	add := func(n int) int64 {
		return q.Add(0, func(items []int) ([]int, int64) {
			if len(items) > 0 {
				items[len(items)-1] += n
				return items, int64(n)
			}
			return append(items, n), int64(n)
		})
	}
	require.EqualValues(t, 1, add(1))
	require.Equal(t, []int{1}, <-got)
	require.EqualValues(t, 3, add(2))
	require.EqualValues(t, 6, add(3))
	q.Delivered(1)
	next <- struct{}{}
	require.Equal(t, []int{5}, <-got)
	q.Close(errGone)
	close(next)
	<-q.Done()
	require.Zero(t, add(4))
}

// What a closed client would still get depended on which goroutine ran first.
func TestNothingThatReachesTheLimitIsDelivered(t *testing.T) {
	t.Parallel()
	delivered, free := make(chan []int), make(chan bool)
	q := queue.New(queue.Consumer[int]{Deliver: func(items []int) {
		delivered <- items
		<-free
	}})
	require.EqualValues(t, 3, q.Put(1, 3, 10))
	require.Equal(t, []int{1}, <-delivered)
	require.EqualValues(t, 9, q.Put(2, 6, 10), "it waits behind what is being delivered")
	require.EqualValues(t, 10, q.Put(3, 1, 10))
	close(free)
	q.Close(errGone)
	<-q.Done()
	select {
	case items := <-delivered:
		t.Fatalf("%v were delivered", items)
	default:
	}
}

func TestTheFirstItemReachesTheLimit(t *testing.T) {
	t.Parallel()
	q := queue.New(queue.Consumer[int]{Deliver: func(items []int) { t.Errorf("%v were delivered", items) }})
	require.EqualValues(t, 10, q.Put(1, 10, 10))
	require.False(t, q.Started())
	q.Close(errGone)
	<-q.Done()
}
