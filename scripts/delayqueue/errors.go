package delayqueue

import (
	"errors"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Errors of a queue.
var (
	// ErrName is returned by New for a name that is empty, longer than 512 bytes or not UTF-8, or
	// that has a brace.
	ErrName = errors.New("delayqueue: " + script.NameRule)
	// ErrKey is returned by On for a key without a hash tag.
	ErrKey = errors.New("delayqueue: the key of a ready stream needs a hash tag, {…}")
	// ErrOptions is returned by New and On for options out of range.
	ErrOptions = errors.New("delayqueue: options out of range")
	// ErrConsumer is returned by Run for an empty name.
	ErrConsumer = errors.New("delayqueue: a consumer needs a name")
	// ErrFull is returned if a queue has no room for all of the messages. None was enqueued.
	ErrFull = errors.New("delayqueue: queue is full")
	// ErrTooMany is returned for more than [MaxBatch] messages in one call. None was enqueued.
	ErrTooMany = errors.New("delayqueue: too many messages in one call")
	// ErrPanic is reported to Options.OnError if a handler panicked. Its messages are retried.
	ErrPanic = errors.New("delayqueue: handler panicked")
	// ErrTakenOver is reported to Options.OnError if a handler took longer than the visibility
	// timeout and another consumer got its messages.
	ErrTakenOver = errors.New("delayqueue: messages were taken over by another consumer")
)
