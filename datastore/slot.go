package datastore

import "strings"

// Slots is the number of hash slots of a Redis Cluster.
const Slots = 16384

// Slot is the hash slot of a key: CRC16 of the key modulo [Slots]. Where the key has a hash tag, text between the first { and the
// next }, only that counts; an empty one is none.
func Slot(key string) int {
	if from, to := tagOf(key); to > 0 {
		key = key[from:to]
	}
	return slotOf(key)
}

// slotOf is the slot of a text of which all counts.
func slotOf(key string) int {
	crc := uint16(0)
	for i := range len(key) {
		crc = crc<<8 ^ crc16Table[byte(crc>>8)^key[i]]
	}
	return int(crc) % Slots
}

// tagOf is where the hash tag of a key is; to is 0 where it has none.
func tagOf(key string) (from, to int) {
	if open := strings.IndexByte(key, '{'); open >= 0 {
		if n := strings.IndexByte(key[open+1:], '}'); n > 0 {
			return open + 1, open + 1 + n
		}
	}
	return 0, 0
}

// crc16Table is that of CRC16/XMODEM: polynomial 1021, no reflection.
var crc16Table = func() (table [256]uint16) {
	for i := range table {
		crc := uint16(i) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			if crc <<= 1; carry {
				crc ^= 0x1021
			}
		}
		table[i] = crc
	}
	return table
}()

// SlotCache computes slots of keys that come one after the other. Those of one command or script mostly have the same hash tag behind
// the same text, or are the same key.
type SlotCache struct {
	text   [64]byte // the key before, up to the end of its tag where it has one
	n      int      // of text; 0: none
	tagged bool
	slot   int
}

// Slot is as [Slot].
func (c *SlotCache) Slot(key string) int {
	if n := c.n; n > 0 && len(key) >= n && (c.tagged || len(key) == n) && key[:n] == string(c.text[:n]) {
		return c.slot
	}
	from, to := tagOf(key)
	if c.n, c.tagged = to+1, to > 0; !c.tagged {
		c.n, to = len(key), len(key)
	}
	c.slot = slotOf(key[from:to])
	if c.n > len(c.text) {
		c.n = 0
	}
	copy(c.text[:c.n], key)
	return c.slot
}
