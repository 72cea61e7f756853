// Package hashslot computes the hash slot of a key in a Redis Cluster. Keys with the same hash tag
// have the same slot.
package hashslot
