// Package delayqueue is a queue of messages on a Redis stream, for work that is done later and elsewhere: settlement, mails, time-outs.
//
// Messages are ready at once or at a later time. Consumers take them in batches and decide for each: commit, retry later, or dead. A
// message whose consumer vanishes is handed to another one when the visibility time-out has passed. So each message is handed out at least once, in
// rare cases more often, and its handler must be idempotent: every message has an ID to tell it by. To enqueue an ID a second time does nothing.
//
//	q, err := delayqueue.New(e, "mails", delayqueue.Options{})
//	_, err = q.EnqueueAfter(ctx, delayqueue.Message{ID: "order:1:reminder", Payload: mail}, 30*time.Minute)
//	err = q.Run(ctx, "worker-1", func(ctx context.Context, batch []*delayqueue.Delivery) error {
//		for _, d := range batch {
//			if err := send(ctx, d.Payload); err != nil {
//				d.Retry(delayqueue.Backoff)
//			}
//		}
//		return nil // what is not decided is committed
//	})
//
// Any script may add a message to the ready stream of a queue in its own slot (see [On]), and so in the same atomic step with what else it does:
//
//	redis.call('XADD', KEYS[4], '*', 'id', id, 'payload', payload)
//
// All time is the server's. The order is that in which messages became ready; of several consumers, and of messages that are retried, none is
// promised.
//
// A queue is five keys in one slot: ready, a stream with one consumer group; delayed, a sorted set by due time; ids, a sorted set; dead, a
// stream; meta, a hash of counters. What is committed is removed.
package delayqueue
