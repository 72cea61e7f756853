// Package rdb reads and writes the elements of Redis's RDB format, in which DUMP and RESTORE
// serialize values: lengths, numbers, strings and the footer. What the elements of a value are is
// known to package datastore.
//
// A length takes 1, 2, 5 or 9 bytes. A string is a length and bytes, or an integer of 8, 16 or 32
// bits, or a text compressed by LZF. The footer is the version of the format and a CRC-64.
package rdb
