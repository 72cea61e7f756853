package delayqueue

import (
	_ "embed"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors of a queue.
var (
	// ErrName is returned by New and On for a name that cannot be a hash tag, or a key that has none.
	ErrName = errors.New("delayqueue: no hash tag, or a name that is empty or holds a brace")
	// ErrConsumer is returned by Run for an empty name.
	ErrConsumer = errors.New("delayqueue: a consumer needs a name")
	// ErrFull is returned when a queue has no room for all of the messages; none was enqueued.
	ErrFull = errors.New("delayqueue: queue is full")
	// ErrTooMany is returned for more than MaxBatch messages at once.
	ErrTooMany = errors.New("delayqueue: too many messages at once")
	// ErrPanic is reported when a handler has panicked. Its messages are retried.
	ErrPanic = errors.New("delayqueue: handler panicked")
	// ErrTakenOver is reported when a handler has taken longer than the visibility time-out, and another consumer had
	// its messages by then.
	ErrTakenOver = errors.New("delayqueue: messages were taken over by another consumer")
)

// MaxBatch is the most messages that one call enqueues, and the largest batch.
const MaxBatch = 1000

// group is the consumer group of every queue. There is one, because a committed message is removed.
const group = "delayqueue"

// blockMillis is how long a consumer waits for a message at most, in ms: clients end a call that takes longer than their read time-out.
const blockMillis = 1000

// Options of a queue. The zero value works. Those that enqueue and those that consume should use the same.
type Options struct {
	// Batch is the most messages that a handler gets at once. Default 64, at most MaxBatch.
	Batch int
	// Visibility is how long a consumer may take for a batch, in whole milliseconds: then its messages are taken over by others, within a
	// quarter of that time and 5 seconds at most. Default 30 s.
	Visibility time.Duration
	// MaxAttempts is how often a message is handed out before it is dead. Default 10; negative: any number.
	MaxAttempts int
	// Backoff is the delay before a retry that names none, by the number of the attempt that has failed, from 1. Default:
	// Exponential(time.Second, 5*time.Minute).
	Backoff func(attempt int) time.Duration
	// Retention is how long the ID of a message that was committed is remembered, so that enqueuing it again does nothing; while the message is in the
	// queue it is so anyway. Default 10 minutes; negative: not at all.
	Retention time.Duration
	// MaxLength is the most messages that may be in the queue, ready, delayed and in hand. Default: any number. Messages that
	// scripts add, and retries, are not refused.
	MaxLength int
	// OnError is called with what goes wrong in Run, which goes on. It may be called from several goroutines. Default: nothing is called.
	OnError func(error)
	// Logger receives the same errors. Default: nothing is logged.
	Logger *slog.Logger
}

// Scripts of a queue.
var (
	//go:embed enqueue.lua
	enqueueSource string
	//go:embed take.lua
	takeSource string
	//go:embed settle.lua
	settleSource string
	//go:embed leave.lua
	leaveSource string
	//go:embed requeue.lua
	requeueSource string
	//go:embed discard.lua
	discardSource string
	//go:embed stats.lua
	statsSource string

	enqueueScript = engine.NewScript(enqueueSource)
	takeScript    = engine.NewScript(takeSource)
	settleScript  = engine.NewScript(settleSource)
	leaveScript   = engine.NewScript(leaveSource)
	requeueScript = engine.NewScript(requeueSource)
	discardScript = engine.NewScript(discardSource)
	statsScript   = engine.NewScript(statsSource)
)

// Queue is a named queue. It is immutable and safe for use by any number of goroutines.
type Queue struct {
	c    engine.Client
	o    Options
	keys Keys
}

// Keys are the keys of a queue.
type Keys struct {
	Ready   string // stream: messages to take, and those in hand
	Delayed string // zset: messages by the time that they are due
	IDs     string // zset: IDs that are known
	Dead    string // stream: dead letters
	Meta    string // hash: counters
}

// New returns the queue of that name on c. It touches nothing. It returns [ErrName] for a name that is empty or holds a brace.
func New(c engine.Client, name string, o Options) (*Queue, error) {
	if name == "" || strings.ContainsAny(name, "{}") {
		return nil, ErrName
	}
	prefix := "delayqueue:{" + name + "}"
	q := newQueue(c, prefix, o)
	q.keys.Ready = prefix + ":ready"
	return q, nil
}

// On returns the queue whose ready stream is the key of that name, such as one to which a script adds messages: entries with the
// fields id, payload and, but for a first attempt, attempt. The queue's other keys are that name with ":delayed" and so on behind it. On touches nothing. It
// returns [ErrName] for a key without a hash tag.
func On(c engine.Client, ready string, o Options) (*Queue, error) {
	_, rest, _ := strings.Cut(ready, "{")
	if strings.Index(rest, "}") < 1 {
		return nil, ErrName
	}
	return newQueue(c, ready, o), nil
}

func newQueue(c engine.Client, prefix string, o Options) *Queue {
	if o.Batch <= 0 {
		o.Batch = 64
	}
	o.Batch = min(o.Batch, MaxBatch)
	if o.Visibility <= 0 {
		o.Visibility = 30 * time.Second
	}
	o.Visibility = max(o.Visibility, time.Millisecond)
	if o.MaxAttempts == 0 {
		o.MaxAttempts = 10
	}
	if o.Backoff == nil {
		o.Backoff = Exponential(time.Second, 5*time.Minute)
	}
	if o.Retention == 0 {
		o.Retention = 10 * time.Minute
	}
	return &Queue{c: c, o: o, keys: Keys{
		Ready: prefix, Delayed: prefix + ":delayed", IDs: prefix + ":ids", Dead: prefix + ":dead", Meta: prefix + ":meta",
	}}
}

// Keys returns the queue's keys.
func (q *Queue) Keys() Keys { return q.keys }

// retention is how long IDs are remembered, in ms; 0: not at all.
func (q *Queue) retention() string { return millis(max(0, q.o.Retention)) }

// report tells an error of Run.
func (q *Queue) report(err error) {
	if q.o.OnError != nil {
		q.o.OnError(err)
	}
	if q.o.Logger != nil {
		q.o.Logger.Error("delayqueue", "queue", q.keys.Ready, "error", err)
	}
}

// millis is a duration in ms, rounded up, as an argument of a script.
func millis(d time.Duration) string {
	return strconv.FormatInt(ceilMillis(d), 10)
}

func ceilMillis(d time.Duration) int64 {
	ms := d.Milliseconds()
	if time.Duration(ms)*time.Millisecond < d {
		ms++
	}
	return ms
}

// EnqueueScript is the script behind [Queue.Enqueue]: KEYS ready, delayed, ids, meta; ARGV most messages or 0, longest wait of a consumer in ms,
// "now", 0, id, payload.
func EnqueueScript() *engine.Script { return enqueueScript }

// TakeScript is the script with which [Queue.Run] takes a batch: KEYS ready, delayed, ids; ARGV group, consumer, most messages, visibility time-out in
// ms, time of the next look for messages of consumers that have vanished in ms, where the last one ended.
func TakeScript() *engine.Script { return takeScript }

// SettleScript is the script with which [Queue.Run] does what was decided: KEYS ready, delayed, ids, dead, meta; ARGV group, consumer, ms for which IDs are
// remembered, how many messages are committed, the entries of those, and for each of those anything and its ID; for each other message entry,
// how often it was handed out, attempt, verdict, detail.
func SettleScript() *engine.Script { return settleScript }
