package delayqueue

import (
	_ "embed"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// MaxBatch is the largest number of messages in one call, and the largest batch.
const MaxBatch = 1000

// group is the consumer group of every queue. There is only one, because a committed message is
// removed.
const group = "delayqueue"

// blockMillis is how long a consumer waits for a message at most, in ms. Clients end a call that
// takes longer than their read timeout.
const blockMillis = 1000

// Options of a queue. The zero value works. Every process that uses the queue should pass the same
// options.
type Options struct {
	// Batch is the largest number of messages that a handler gets in one call. From 1 to
	// [MaxBatch]. Default: 64.
	Batch int
	// Visibility is how long a consumer may take for a batch, in whole milliseconds, rounded up.
	// Then its messages are taken over by others, within a quarter of that time and 5 s at most.
	// Default: 30 s.
	Visibility time.Duration
	// MaxAttempts is how often a message is handed out before it is dead. Default: 10; negative:
	// without limit.
	MaxAttempts int
	// Backoff is the delay before a retry that names none. Its argument is the number of the attempt
	// that failed, from 1. Default: Exponential(time.Second, 5*time.Minute).
	Backoff func(attempt int) time.Duration
	// Retention is how long the ID of a committed message is remembered, in whole milliseconds,
	// rounded up. Enqueuing a remembered ID does nothing. The ID of a message in the queue is always
	// remembered. Default: 10 minutes; negative: not at all.
	Retention time.Duration
	// MaxLength is the largest number of messages in the queue: ready, delayed and in hand. Messages
	// that scripts add, and retries, are not refused. Default: without limit.
	MaxLength int
	// OnError is called with errors of Run, which continues after them. It may be called from
	// several goroutines. Optional.
	OnError func(error)
	// Logger receives the same errors. Default: they are not logged.
	Logger *slog.Logger
}

func (o Options) fill() (Options, error) {
	script.Default(&o.Batch, 64)
	script.Default(&o.Visibility, 30*time.Second)
	script.Default(&o.MaxAttempts, 10)
	script.Default(&o.Retention, 10*time.Minute)
	if o.Backoff == nil {
		o.Backoff = Exponential(time.Second, 5*time.Minute)
	}
	switch {
	case o.Batch < 1 || o.Batch > MaxBatch:
		return o, fmt.Errorf("%w: Batch %d is not from 1 to %d", ErrOptions, o.Batch, MaxBatch)
	case o.Visibility < 0:
		return o, fmt.Errorf("%w: Visibility %v is negative", ErrOptions, o.Visibility)
	case o.MaxLength < 0:
		return o, fmt.Errorf("%w: MaxLength %d is negative", ErrOptions, o.MaxLength)
	}
	return o, nil
}

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
	//go:embed status.lua
	statusSource string
)

var (
	enqueueScript = script.New("delayqueue: enqueue", enqueueSource)
	takeScript    = script.New("delayqueue: take", takeSource)
	settleScript  = script.New("delayqueue: settle", settleSource)
	leaveScript   = script.New("delayqueue: leave", leaveSource)
	requeueScript = script.New("delayqueue: requeue", requeueSource)
	discardScript = script.New("delayqueue: discard", discardSource)
	statusScript  = script.New("delayqueue: status", statusSource)
)

// EnqueueScript is the script behind [Queue.Enqueue]; the head of enqueue.lua describes KEYS and
// ARGV.
func EnqueueScript() *engine.Script { return enqueueScript.Engine() }

// TakeScript is the script with which [Queue.Run] takes a batch; the head of take.lua describes
// KEYS and ARGV.
func TakeScript() *engine.Script { return takeScript.Engine() }

// SettleScript is the script with which [Queue.Run] carries out decisions; the head of settle.lua
// describes KEYS and ARGV.
func SettleScript() *engine.Script { return settleScript.Engine() }

// Queue is a named queue. It is immutable and safe for use by any number of goroutines.
type Queue struct {
	c    engine.Client
	o    Options
	keys keys
}

// keys are the keys of a queue.
type keys struct {
	ready   string // stream: messages to take and messages in hand
	delayed string // sorted set: messages by due time
	ids     string // sorted set: IDs that are remembered
	dead    string // stream: dead letters
	meta    string // hash: counters
}

// New returns the queue of that name on c. It sends nothing. It returns [ErrName] or [ErrOptions].
func New(c engine.Client, name string, o Options) (*Queue, error) {
	if err := script.CheckName(ErrName, name); err != nil {
		return nil, err
	}
	prefix := "delayqueue:{" + name + "}"
	return newQueue(c, prefix+":ready", prefix, o)
}

// On returns the queue whose ready stream is the given key, such as a stream to which a script adds
// messages: entries with the fields id and payload and, after the first attempt, attempt. The other
// keys of the queue are that key with a suffix such as ":delayed". On sends nothing. It returns
// [ErrKey] for a key without a hash tag, or [ErrOptions].
func On(c engine.Client, ready string, o Options) (*Queue, error) {
	_, rest, _ := strings.Cut(ready, "{")
	if strings.Index(rest, "}") < 1 {
		return nil, fmt.Errorf("%w: %.60q", ErrKey, ready)
	}
	return newQueue(c, ready, ready, o)
}

func newQueue(c engine.Client, ready, prefix string, o Options) (*Queue, error) {
	o, err := o.fill()
	if err != nil {
		return nil, err
	}
	return &Queue{c: c, o: o, keys: keys{
		ready: ready, delayed: prefix + ":delayed", ids: prefix + ":ids", dead: prefix + ":dead", meta: prefix + ":meta",
	}}, nil
}

// Keys returns the keys of the queue: ready, delayed, ids, dead, meta.
func (q *Queue) Keys() []string {
	k := q.keys
	return []string{k.ready, k.delayed, k.ids, k.dead, k.meta}
}

// StreamKey is the key of the ready stream, to which scripts may add messages.
func (q *Queue) StreamKey() string { return q.keys.ready }

// retention is how long IDs are remembered, in ms, as an argument; 0: not at all.
func (q *Queue) retention() string { return script.Millis(max(0, q.o.Retention)) }

// report reports an error of Run.
func (q *Queue) report(err error) {
	if q.o.OnError != nil {
		q.o.OnError(err)
	}
	if q.o.Logger != nil {
		q.o.Logger.Error("delayqueue", "queue", q.keys.ready, "error", err)
	}
}
