// Package hashtable implements the hash tables of the keyspace, of sets, hashes and sorted sets.
//
// A [Table] holds elements that know their own keys; a [Dict] maps strings to values. Both have a
// cursor that survives changes, random elements in O(1), and positions that an undo step can
// restore. A table must not be used by several goroutines at the same time.
package hashtable
