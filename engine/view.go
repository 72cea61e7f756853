package engine

import (
	"context"
	"iter"
	"math"
	"runtime"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
	"github.com/redmoon-lua/redmoon/reply"
)

// View calls f with the keyspace, as one atomic step, and returns the error of f. The engine serves
// nobody else until f returns. View changes nothing: no key counts as accessed, and no expired key
// is removed. If f calls the engine, that call returns [ErrReentrant].
//
// f runs on a goroutine of its own. If f panics, View returns an *[Error]. If f ends its goroutine,
// as FailNow of package testing does, the goroutine of the caller ends too.
//
// View returns the error of ctx if ctx ends before f is called, and [ErrBusy] while a script has
// run for longer than busy-reply-threshold.
func (e *Engine) View(ctx context.Context, f func(Keyspace) error) error {
	return e.viewStore(ctx, func(s *datastore.Store) error { return f(Keyspace{s}) })
}

func (e *Engine) viewStore(ctx context.Context, f func(*datastore.Store) error) error {
	r := e.newRequest()
	r.kind = viewRequest
	var err error
	exited := true
	r.fn = func() {
		e.onItsOwn(r, func() {
			err = f(e.server.Store)
			exited = false
		})
	}
	if rerr := e.roundTrip(ctx, r); rerr != nil {
		return rerr
	}
	e.freeRequest(r)
	if exited {
		runtime.Goexit() // as f has done; a test that fails inside f ends here
	}
	return err
}

// onItsOwn runs f, the function of r, while the loop waits. f has a goroutine of its own, so that
// the loop survives if f calls runtime.Goexit, as the FailNow of a test does.
func (e *Engine) onItsOwn(r *request, f func()) {
	loop, done := e.self.Load(), make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.err = e.panicked(p, "view").Err()
			}
		}()
		e.self.Store(goroutine.Self()) // calls of the engine by f are refused
		f()
	}()
	<-done
	e.self.Store(loop)
}

// Check verifies the invariants of the keyspace; nil means that all hold. It is for tests: it reads
// every key.
func (e *Engine) Check(ctx context.Context) error {
	return e.viewStore(ctx, (*datastore.Store).Check)
}

// Keyspace is what [Engine.View] shows: all databases at one moment, for reading only. It must not
// be used after View has returned, nor by another goroutine.
type Keyspace struct{ store *datastore.Store }

// Databases returns the number of databases.
func (k Keyspace) Databases() int { return k.store.Databases() }

// Now returns the time of this step, with a resolution of a microsecond.
func (k Keyspace) Now() time.Time { return time.UnixMicro(k.store.NowMicros()) }

// Len returns the number of keys of database db, as DBSIZE does: it includes the keys whose time to
// live has ended but that have not been removed yet. It panics if there is no database db;
// [Engine.View] then returns an error.
func (k Keyspace) Len(db int) int { return k.store.DB(db).Len() }

// Keys returns the keys of database db in no particular order, without those whose time to live has
// ended. It panics if there is no database db.
func (k Keyspace) Keys(db int) iter.Seq[Key] {
	d := k.store.DB(db)
	return func(yield func(Key) bool) {
		d.All(func(e *datastore.Entry) bool { return yield(Key{e}) })
	}
}

// Key returns a key of database db, and false if it does not exist or its time to live has ended.
// It panics if there is no database db.
func (k Keyspace) Key(db int, name string) (Key, bool) {
	d := k.store.DB(db)
	if ok, expired := d.Has(name); !ok || expired {
		return Key{}, false
	}
	return Key{d.Raw(name)}, true
}

// Key is a key of a [Keyspace] with its value, for reading only. It must not be used after
// [Engine.View] has returned. What Name and Value return may be kept.
type Key struct{ entry *datastore.Entry }

// Name returns the name of the key.
func (k Key) Name() string { return k.entry.Key() }

// Type returns the type as the command TYPE replies it: string, list, hash, set, zset or stream.
func (k Key) Type() string { return k.entry.Object().Type().String() }

// Encoding returns the encoding as OBJECT ENCODING replies it, such as "listpack".
func (k Key) Encoding() string { return k.entry.Object().Encoding() }

// Len returns the number of elements; of a string, its bytes.
func (k Key) Len() int { return k.entry.Object().Len() }

// ExpireAt returns when the time to live of the key ends, with a resolution of a millisecond. It
// returns the zero Time if the key lives forever.
func (k Key) ExpireAt() time.Time {
	if at := k.entry.ExpireAt(); at != 0 {
		return time.UnixMilli(at)
	}
	return time.Time{}
}

// Value returns a copy of the key's value:
//   - a string as a bulk string,
//   - a list as an array, from head to tail,
//   - a set as a set, in no particular order,
//   - a hash as a map of fields and values, in no particular order,
//   - a sorted set as a map of members and scores (doubles), in its order,
//   - a stream as an array with an array [ID, [field, value, ...]] for each entry, the oldest
//     first; its consumer groups are not included.
func (k Key) Value() Value { return valueOf(k.entry.Object()).Clone() }

func valueOf(o datastore.Object) Value {
	list := make([]Value, 0, o.Len())
	switch o := o.(type) {
	case *datastore.String:
		return reply.Bulk(o.Text())
	case *datastore.List:
		o.Ascend(0, func(_ int, el string) bool { list = append(list, reply.Bulk(el)); return true })
	case *datastore.Set:
		o.All(func(m string) bool { list = append(list, reply.Bulk(m)); return true })
		return reply.Set(list...)
	case *datastore.Hash:
		o.All(func(field, value string) bool { list = append(list, reply.Bulk(field), reply.Bulk(value)); return true })
		return reply.Map(list...)
	case *datastore.ZSet:
		o.Ascend(0, o.Len(), func(it datastore.ZItem) bool {
			list = append(list, reply.Bulk(it.Member), reply.Double(it.Score))
			return true
		})
		return reply.Map(list...)
	case *datastore.Stream:
		o.Range(datastore.StreamID{}, datastore.StreamID{Ms: math.MaxUint64, Seq: math.MaxUint64}, func(e *datastore.StreamEntry) bool {
			list = append(list, reply.Array(reply.Bulk(e.ID.String()), reply.Bulks(e.AppendPairs(nil)...)))
			return true
		})
	}
	return reply.Array(list...)
}
