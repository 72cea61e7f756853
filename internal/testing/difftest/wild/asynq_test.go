package wild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// tasks describes tasks without their times, in an order that does not depend on whether a
// second passed between two.
func tasks(infos []*asynq.TaskInfo) string {
	var all []string
	for _, i := range infos {
		all = append(all, fmt.Sprintf("%s/%s %s %q %s retried %d of %d, group %q, result %q, err %q", i.Queue, i.ID, i.Type, i.Payload, i.State,
			i.Retried, i.MaxRetry, i.Group, i.Result, i.LastErr))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

func names(infos []*asynq.TaskInfo) []string {
	var all []string
	for _, i := range infos {
		all = append(all, i.ID)
	}
	slices.Sort(all)
	return all
}

// queue is an asynq client with an inspector; it writes their answers to the transcript.
type queue struct {
	client     *asynq.Client
	in         *asynq.Inspector
	transcript *Transcript
}

func openQueue(addr string, transcript *Transcript) (*queue, func()) {
	opt := asynq.RedisClientOpt{Addr: addr}
	q := &queue{client: asynq.NewClient(opt), in: asynq.NewInspector(opt), transcript: transcript}
	return q, func() { _ = errors.Join(q.client.Close(), q.in.Close()) }
}

func (q *queue) enqueue(id, typ, payload string, opts ...asynq.Option) {
	opts = append([]asynq.Option{asynq.TaskID(id)}, opts...)
	info, err := q.client.Enqueue(asynq.NewTask(typ, []byte(payload)), opts...)
	if err != nil {
		q.transcript.Say("enqueue "+id, err)
		return
	}
	q.transcript.Say("enqueue "+id, tasks([]*asynq.TaskInfo{info}))
}

// status writes everything that the inspector knows about a queue.
func (q *queue) status(name string) {
	info, err := q.in.GetQueueInfo(name)
	if err != nil {
		q.transcript.Say("queue "+name, err)
		return
	}
	q.transcript.Say("queue "+name, info.Size, info.Groups, info.Pending, info.Active, info.Scheduled, info.Retry, info.Archived,
		info.Completed,
		info.Aggregating, info.Processed, info.Failed, info.ProcessedTotal, info.FailedTotal, info.Paused)
	history, err := q.in.History(name, 3)
	q.transcript.Say("history", len(history), history[0].Processed, history[0].Failed, err)
	for _, list := range []struct {
		name string
		do   func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error)
	}{
		{"pending", q.in.ListPendingTasks}, {"active", q.in.ListActiveTasks}, {"scheduled", q.in.ListScheduledTasks},
		{"retry", q.in.ListRetryTasks}, {"archived", q.in.ListArchivedTasks}, {"completed", q.in.ListCompletedTasks},
	} {
		infos, err := list.do(name, asynq.PageSize(2))
		q.transcript.Say("list "+list.name, len(infos), err)
		infos, err = list.do(name, asynq.PageSize(50))
		q.transcript.Say("list "+list.name, tasks(infos), err)
	}
	groups, err := q.in.Groups(name)
	slices.SortFunc(groups, func(a, b *asynq.GroupInfo) int { return strings.Compare(a.Group, b.Group) })
	for _, g := range groups {
		infos, lerr := q.in.ListAggregatingTasks(name, g.Group)
		q.transcript.Say("group "+g.Group, g.Size, names(infos), err, lerr)
	}
}

// all writes the result of a call for all tasks of one kind.
func (q *queue) all(call string, do func(string) (int, error), name string) {
	n, err := do(name)
	q.transcript.Say(call, n, err)
}

// TestAsynqInspector has tasks of every state that needs no server, moved about and deleted.
func TestAsynqInspector(t *testing.T) {
	play(t, Program{Name: "github.com/hibiken/asynq (client, inspector)", Scripts: 27, Play: func(addr string, transcript *Transcript) error {
		q, closeQueue := openQueue(addr, transcript)
		defer closeQueue()
		q.status("default")
		later := asynq.ProcessIn(24 * time.Hour)
		for i := range 5 {
			q.enqueue(fmt.Sprint("p", i), "mail:send", fmt.Sprintf(`{"to":%d}`, i), asynq.MaxRetry(i))
			q.enqueue(fmt.Sprint("s", i), "mail:later", "\x00\xff", later)
			q.enqueue(fmt.Sprint("g", i), "mail:digest", "x", asynq.Group(fmt.Sprint("team", i%2)))
		}
		q.enqueue("p1", "mail:send", "again")
		q.enqueue("s1", "mail:send", "again", later)
		q.enqueue("g1", "mail:send", "again", asynq.Group("team1"))
		for _, id := range []string{"u1", "u2"} {
			q.enqueue(id, "report", "daily", asynq.Unique(time.Hour))
			q.enqueue("later-"+id, "report", "weekly", asynq.Unique(time.Hour), later)
			q.enqueue("group-"+id, "report", "monthly", asynq.Unique(time.Hour), asynq.Group("reports"))
		}
		q.enqueue("low", "mail:send", "x", asynq.Queue("low"), asynq.Deadline(difftest.Present().Add(time.Hour)), asynq.Retention(time.Hour))
		queues, err := q.in.Queues()
		slices.Sort(queues)
		transcript.Say("queues", queues, err)
		q.status("default")

		transcript.Say("pause", q.in.PauseQueue("default"), q.in.PauseQueue("default"))
		q.status("default")
		transcript.Say("unpause", q.in.UnpauseQueue("default"), q.in.UnpauseQueue("default"))
		for _, id := range []string{"p0", "s0", "g0", "nobody"} {
			transcript.Say("archive "+id, q.in.ArchiveTask("default", id))
			transcript.Say("archive again "+id, q.in.ArchiveTask("default", id))
			transcript.Say("run "+id, q.in.RunTask("default", id))
			transcript.Say("run again "+id, q.in.RunTask("default", id))
			info, err := q.in.GetTaskInfo("default", id)
			if err == nil {
				transcript.Say("info "+id, tasks([]*asynq.TaskInfo{info}))
			} else {
				transcript.Say("info "+id, err)
			}
			transcript.Say("delete "+id, q.in.DeleteTask("default", id))
		}
		transcript.Say("payload", q.in.UpdateTaskPayload("default", "s2", []byte("new")), q.in.UpdateTaskPayload("default", "p2", []byte("new")),
			q.in.UpdateTaskPayload("default", "nobody", nil))
		transcript.Say("no such queue", q.in.RunTask("nothing", "p1"), q.in.DeleteTask("nothing", "p1"), q.in.DeleteQueue("nothing", false))
		transcript.Say("delete u1", q.in.DeleteTask("default", "u1"))
		q.enqueue("u3", "report", "daily", asynq.Unique(time.Hour))
		q.status("default")

		inGroup := func(do func(string, string) (int, error)) func(string) (int, error) {
			return func(group string) (int, error) { return do("default", group) }
		}
		q.all("run scheduled", q.in.RunAllScheduledTasks, "default")
		q.all("run group", inGroup(q.in.RunAllAggregatingTasks), "team0")
		q.all("archive group", inGroup(q.in.ArchiveAllAggregatingTasks), "team1")
		q.all("delete group", inGroup(q.in.DeleteAllAggregatingTasks), "reports")
		q.all("delete no group", inGroup(q.in.DeleteAllAggregatingTasks), "nobody")
		q.status("default")
		q.all("archive pending", q.in.ArchiveAllPendingTasks, "default")
		q.all("archive scheduled", q.in.ArchiveAllScheduledTasks, "default")
		q.all("run archived", q.in.RunAllArchivedTasks, "default")
		q.enqueue("s9", "mail:later", "x", later)
		q.enqueue("s8", "mail:later", "x", later)
		q.all("archive scheduled", q.in.ArchiveAllScheduledTasks, "default")
		q.status("default")
		transcript.Say("delete a queue that is not empty", q.in.DeleteQueue("default", false))
		q.all("delete archived", q.in.DeleteAllArchivedTasks, "default")
		q.all("delete pending", q.in.DeleteAllPendingTasks, "default")
		q.all("delete scheduled", q.in.DeleteAllScheduledTasks, "default")
		q.all("delete retry", q.in.DeleteAllRetryTasks, "default")
		q.all("run retry", q.in.RunAllRetryTasks, "default")
		transcript.Say("delete queue", q.in.DeleteQueue("default", false))
		transcript.Say("delete a queue by force", q.in.DeleteQueue("low", true))
		q.status("low")
		q.enqueue("kept", "mail:send", "x", asynq.Queue("kept"))
		q.enqueue("kept-later", "mail:send", "x", asynq.Queue("kept"), later)
		q.enqueue("kept-group", "mail:send", "x", asynq.Queue("kept"), asynq.Group("g"))
		return nil
	}})
}

var errHandler = errors.New("it went wrong")

// TestAsynqServer has tasks of every kind processed by a server with one worker, so that their
// order is fixed.
func TestAsynqServer(t *testing.T) {
	play(t, Program{Name: "github.com/hibiken/asynq (server)", Scripts: 26, Play: func(addr string, transcript *Transcript) error {
		q, closeQueue := openQueue(addr, transcript)
		defer closeQueue()
		q.enqueue("fine", "ok", "1")
		q.enqueue("kept", "ok", "2", asynq.Retention(time.Hour))
		q.enqueue("unique", "ok", "3", asynq.Unique(time.Hour))
		q.enqueue("unique-kept", "ok", "4", asynq.Unique(time.Hour), asynq.Retention(time.Hour))
		q.enqueue("again", "fail", "5", asynq.MaxRetry(3))
		q.enqueue("never", "fail", "6", asynq.MaxRetry(0))
		q.enqueue("skipped", "skip", "7")
		q.enqueue("revoked", "revoke", "8")
		for i := range 3 {
			q.enqueue(fmt.Sprint("member", i), "ok", fmt.Sprint(i), asynq.Group("team"))
		}
		processed := make(chan string, 100)
		handler := asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
			transcript.Say("process", task.Type(), string(task.Payload()))
			defer func() { processed <- task.Type() }()
			switch task.Type() {
			case "fail":
				return errHandler
			case "skip":
				return fmt.Errorf("%w: %w", errHandler, asynq.SkipRetry)
			case "revoke":
				return fmt.Errorf("%w: %w", errHandler, asynq.RevokeTask)
			}
			if w := task.ResultWriter(); w != nil && w.TaskID() == "kept" {
				_, err := w.Write([]byte("the result"))
				return err
			}
			return nil
		})
		opt := asynq.RedisClientOpt{Addr: addr}
		server := asynq.NewServer(opt, asynq.Config{
			Concurrency: 1, TaskCheckInterval: 20 * time.Millisecond, DelayedTaskCheckInterval: 100 * time.Millisecond,
			JanitorInterval: 200 * time.Millisecond, JanitorBatchSize: 10, GroupGracePeriod: 2 * time.Second, GroupMaxSize: 3,
			RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return time.Hour },
			GroupAggregator: asynq.GroupAggregatorFunc(func(group string, members []*asynq.Task) *asynq.Task {
				var all []string
				for _, m := range members {
					all = append(all, string(m.Payload()))
				}
				slices.Sort(all)
				return asynq.NewTask("group", []byte(group+": "+strings.Join(all, ",")), asynq.TaskID("group"))
			}),
			Logger: quietLog{log.New(io.Discard, "", 0)}, ShutdownTimeout: 5 * time.Second,
		})
		if err := server.Start(handler); err != nil {
			return err
		}
		for n := 0; n < 8; n++ {
			select {
			case <-processed:
			case <-patience.After():
				server.Shutdown()
				return errors.New("tasks were not processed")
			}
		}
		for typ := range processed {
			if typ == "group" {
				break
			}
		}
		server.Shutdown()
		q.status("default")
		q.all("run retry", q.in.RunAllRetryTasks, "default")
		q.status("default")
		servers, err := q.in.Servers()
		transcript.Say("servers", len(servers), err)
		q.all("delete completed", q.in.DeleteAllCompletedTasks, "default")
		return nil
	}})
}

// quietLog drops what a server logs.
type quietLog struct{ *log.Logger }

func (quietLog) Debug(...any) {}
func (quietLog) Info(...any)  {}
func (quietLog) Warn(...any)  {}
func (quietLog) Error(...any) {}
func (quietLog) Fatal(...any) {}
