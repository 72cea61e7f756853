package parse

import "github.com/redmoon-lua/redmoon/internal/base/hashslot"

// Slot reads the number of a slot of a Redis Cluster.
func Slot(arg string) (slot int, ok bool) {
	n, ok := Int(arg)
	return int(n), ok && n >= 0 && n < hashslot.Count
}
