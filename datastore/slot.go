package datastore

import "github.com/redmoon-lua/redmoon/internal/base/hashslot"

// Slots is the number of hash slots of a Redis Cluster.
const Slots = hashslot.Count

// Slot returns the hash slot of a key; see [hashslot.Of].
func Slot(key string) int { return hashslot.Of(key) }

// SlotCache computes the slots of a sequence of keys. It remembers the last key.
type SlotCache = hashslot.Cache
