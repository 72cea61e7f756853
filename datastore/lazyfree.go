package datastore

// LazyFree says which values Redis frees in the background, as its parameters lazyfree-lazy-* do.
// The garbage collector frees all of them here, so only [Store.LazyFreed] depends on it.
type LazyFree struct {
	Delete  bool // of DEL and GETDEL
	Replace bool // of commands that replace or empty a key
	Expire  bool // of keys that expire
	Evict   bool // of keys that are evicted
	Flush   bool // of FLUSHALL, FLUSHDB, SCRIPT FLUSH and FUNCTION FLUSH that do not say SYNC or ASYNC
}

// lazyFreeEffort is LAZYFREE_THRESHOLD of Redis: smaller values are freed by the command itself.
const lazyFreeEffort = 64

// LazyFreed is the number of values that Redis would have freed in the background
// (lazyfreed_objects of INFO) since the store was made or ResetExpired was called.
func (s *Store) LazyFreed() int64 { return s.lazyFreed }

// CountLazyFreed adds the keys of a database that was emptied to LazyFreed.
func (s *Store) CountLazyFreed(keys int) { s.lazyFreed += int64(keys) }

// CountScriptsFreed adds scripts or functions that were removed all together to LazyFreed: Redis
// frees few of them itself.
func (s *Store) CountScriptsFreed(n int) {
	if n > lazyFreeEffort {
		s.lazyFreed += int64(n)
	}
}

// Discard counts a value that a command replaces, or has made only for its reply.
func (s *Store) Discard(o Object) { s.freed(o, s.limits.LazyFree.Replace) }

// freed counts a value that has lost its key.
func (s *Store) freed(o Object, lazily bool) {
	if lazily && freeEffort(o) > lazyFreeEffort {
		s.lazyFreed++
	}
}

// freeEffort is lazyfreeGetFreeEffort of Redis: about the number of allocations of a value.
func freeEffort(o Object) int {
	switch o := o.(type) {
	case *List:
		return o.nodes.len()
	case *Set:
		if !o.Compact() {
			return o.Len()
		}
	case *ZSet:
		if !o.Compact() {
			return o.Len()
		}
	case *Hash:
		if !o.Compact() {
			return o.Len()
		}
	case *Stream:
		n := o.TreeNodes()
		if len(o.groups) > 0 {
			n += len(o.groups) * (1 + o.groups[0].pending.len())
		}
		return n
	}
	return 1
}
