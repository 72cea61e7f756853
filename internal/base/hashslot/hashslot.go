package hashslot

import "strings"

// Count is the number of hash slots of a Redis Cluster.
const Count = 16384

// Of returns the hash slot of a key: CRC16 of the key, modulo [Count]. If the key has a hash tag,
// non-empty text between the first { and the next }, only the tag is hashed.
func Of(key string) int {
	if from, to := tagOf(key); to > 0 {
		key = key[from:to]
	}
	return slotOf(key)
}

// slotOf returns the slot of a text without looking for a hash tag.
func slotOf(key string) int {
	crc := uint16(0)
	for i := range len(key) {
		crc = crc<<8 ^ crc16Table[byte(crc>>8)^key[i]]
	}
	return int(crc) % Count
}

// tagOf returns the bounds of the hash tag of a key; to is 0 if it has none.
func tagOf(key string) (from, to int) {
	if open := strings.IndexByte(key, '{'); open >= 0 {
		if n := strings.IndexByte(key[open+1:], '}'); n > 0 {
			return open + 1, open + 1 + n
		}
	}
	return 0, 0
}

// crc16Table is the table of CRC16/XMODEM: polynomial 0x1021, no reflection.
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

// Cache computes the slots of a sequence of keys. It remembers the last key, because the keys
// of one command or script mostly have the same hash tag after the same prefix, or are the same
// key.
type Cache struct {
	text   [64]byte // the last key, up to the end of its tag if it has one
	n      int      // length of text; 0: none
	tagged bool
	slot   int
}

// Slot returns the same as the function [Of].
func (c *Cache) Slot(key string) int {
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
