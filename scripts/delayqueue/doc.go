// Package delayqueue is a queue of messages on a Redis stream, for work that is done later or
// elsewhere, such as settlement, mails and timeouts.
//
// A message is ready immediately or at a later time. Consumers take messages in batches and decide
// for each: commit, retry later, or dead. If a consumer vanishes, its messages are handed to
// another one when the visibility timeout has passed. So each message is handed out at least once,
// in rare cases more often, and its handler must be idempotent: every message has an ID for that.
// Enqueuing an ID a second time does nothing.
//
//	q, err := delayqueue.New(e, "mails", delayqueue.Options{})
//	reminder := delayqueue.Message{ID: "order:1:reminder", Payload: mail}
//	_, err = q.EnqueueAfter(ctx, reminder, 30*time.Minute)
//	err = q.Run(ctx, "worker-1", func(ctx context.Context, batch []*delayqueue.Delivery) error {
//		for _, d := range batch {
//			if err := send(ctx, d.Payload); err != nil {
//				d.Retry(delayqueue.Backoff)
//			}
//		}
//		return nil // messages without a decision are committed
//	})
//
// Any script may add a message to the ready stream of a queue in its own slot (see [On]), in the
// same atomic step with its other writes:
//
//	redis.call('XADD', KEYS[4], '*', 'id', id, 'payload', payload)
//
// The clock is the server's. Messages are taken in the order in which they became ready. There is
// no order between several consumers, nor of messages that are retried.
//
// A queue has five keys in one slot: ready, a stream with one consumer group; delayed, a sorted set
// by due time; ids, a sorted set; dead, a stream; meta, a hash of counters. Committed messages are
// removed.
package delayqueue
