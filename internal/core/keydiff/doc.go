// Package keydiff finds the keys that differ between two states of a keyspace. [Changes] is the one
// comparison, of any kind of copy; [Lines] shows changes of texts.
//
// [Each] compares two states of the datastore itself, and describes the differences in text for
// people.
package keydiff
