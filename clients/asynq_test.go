package clients

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// quiet is a logger of asynq's that says nothing.
type quiet struct{}

func (quiet) Debug(...any) {}
func (quiet) Info(...any)  {}
func (quiet) Warn(...any)  {}
func (quiet) Error(...any) {}
func (quiet) Fatal(...any) {}

// TestAsynq enqueues tasks of every kind and lets two servers process them all.
func TestAsynq(t *testing.T) {
	t.Run("alone", func(t *testing.T) {
		onAll(t, playAsynq(func(p *play) asynq.RedisConnOpt {
			o := asynq.RedisClientOpt{Addr: p.server(), ReadTimeout: patience.Limit}
			if e := p.engines[o.Addr]; e != nil {
				return inProcess{e}
			}
			return o
		}))
	})
	t.Run("cluster", func(t *testing.T) {
		onBoth(t, playAsynq(func(p *play) asynq.RedisConnOpt {
			return asynq.RedisClusterClientOpt{Addrs: []string{p.server(Options{Cluster: true})}, ReadTimeout: patience.Limit}
		}))
	})
}

// inProcess gives asynq clients of an engine in this process.
type inProcess struct{ e *engine.Engine }

// MakeRedisClient implements asynq.RedisConnOpt.
func (o inProcess) MakeRedisClient() any { return goredis.NewClient(o.e) }

// playAsynq is the test on the server that a function makes.
func playAsynq(server func(p *play) asynq.RedisConnOpt) func(p *play) {
	return func(p *play) {
		const each = 100
		opt := server(p)
		client, inspector := asynq.NewClient(opt), asynq.NewInspector(opt)
		defer client.Close()
		defer inspector.Close()
		enqueue := func(id, typ string, opts ...asynq.Option) error {
			_, err := client.Enqueue(asynq.NewTask(typ, []byte(binary+id)), append(opts, asynq.TaskID(id))...)
			return err
		}
		for i := range each {
			require.NoError(p, enqueue(fmt.Sprint("plain", i), "plain", asynq.Queue([]string{"default", "low", "critical"}[i%3])))
			require.NoError(p, enqueue(fmt.Sprint("delayed", i), "plain", asynq.ProcessIn(time.Second), asynq.Retention(time.Hour)))
			require.NoError(p, enqueue(fmt.Sprint("fails", i), "fails once", asynq.MaxRetry(2)))
			require.NoError(p, enqueue(fmt.Sprint("group", i), "member", asynq.Group(fmt.Sprint("g", i%3))))
		}
		p.say("the same id", enqueue("plain0", "plain"))
		require.NoError(p, enqueue("bad", "bad", asynq.MaxRetry(0)))
		require.NoError(p, enqueue("skip", "skip", asynq.MaxRetry(9)))
		first, second := asynq.NewTask("unique", nil), asynq.NewTask("unique", nil)
		_, err := client.Enqueue(first, asynq.Unique(time.Hour), asynq.ProcessIn(time.Second))
		require.NoError(p, err)
		_, err = client.Enqueue(second, asynq.Unique(time.Hour))
		p.say("not unique", err, errors.Is(err, asynq.ErrDuplicateTask))

		var mu sync.Mutex
		runs, batched := map[string]int{}, 0
		handle := asynq.HandlerFunc(func(ctx context.Context, task *asynq.Task) error {
			id, _ := asynq.GetTaskID(ctx)
			mu.Lock()
			defer mu.Unlock()
			runs[id]++
			switch task.Type() {
			case "fails once":
				if retried, _ := asynq.GetRetryCount(ctx); retried == 0 {
					return errors.New("not yet")
				}
			case "bad":
				return errors.New("bad")
			case "skip":
				return fmt.Errorf("never again: %w", asynq.SkipRetry)
			case "batch":
				batched += strings.Count(string(task.Payload()), ",")
			}
			if w := task.ResultWriter(); w != nil {
				_, _ = w.Write([]byte("done"))
			}
			return nil
		})
		for range 2 {
			server := asynq.NewServer(opt, asynq.Config{
				Concurrency: 8, Queues: map[string]int{"default": 2, "low": 1, "critical": 5}, Logger: quiet{},
				RetryDelayFunc:           func(int, error, *asynq.Task) time.Duration { return 10 * time.Millisecond },
				DelayedTaskCheckInterval: 50 * time.Millisecond, TaskCheckInterval: 20 * time.Millisecond,
				GroupGracePeriod: time.Second, GroupMaxSize: 20,
				GroupAggregator: asynq.GroupAggregatorFunc(func(_ string, tasks []*asynq.Task) *asynq.Task {
					return asynq.NewTask("batch", []byte(strings.Repeat(",", len(tasks))))
				}),
			})
			require.NoError(p, server.Start(handle))
			defer server.Shutdown()
		}
		until(p, "all are processed", func() bool {
			info, err := inspector.GetQueueInfo("default")
			require.NoError(p, err)
			low, err := inspector.GetQueueInfo("low")
			require.NoError(p, err)
			critical, err := inspector.GetQueueInfo("critical")
			require.NoError(p, err)
			mu.Lock()
			defer mu.Unlock()
			left := info.Size + low.Size + critical.Size - info.Completed - info.Archived
			return left == 0 && batched == each
		})
		for i := range each {
			require.Equal(p, 1, runs[fmt.Sprint("plain", i)])
			require.Equal(p, 1, runs[fmt.Sprint("delayed", i)])
			require.Equal(p, 2, runs[fmt.Sprint("fails", i)])
		}
		servers, err := inspector.Servers()
		p.say("servers", len(servers), err)
		info, err := inspector.GetTaskInfo("default", "delayed7")
		require.NoError(p, err)
		p.say("result", info.State, string(info.Result))
		archived, err := inspector.ListArchivedTasks("default")
		require.NoError(p, err)
		p.say("archived", len(archived))
		queues, err := inspector.GetQueueInfo("default")
		require.NoError(p, err)
		p.say("queue", queues.Completed, queues.Archived, queues.Paused, queues.Size)
		p.say("run nobody", inspector.RunTask("default", "nobody"))
	}
}
