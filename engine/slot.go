package engine

import "github.com/redmoon-lua/redmoon/datastore"

// Slots is the number of hash slots of a Redis Cluster.
const Slots = datastore.Slots

// Slot returns the hash slot of a key, 0 to Slots-1, as CLUSTER KEYSLOT answers it. Keys with the
// same hash tag, such as {user1}:name and {user1}:age, share a slot, and so may be used together on
// a cluster.
func Slot(key string) int { return datastore.Slot(key) }
