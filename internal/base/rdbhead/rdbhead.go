package rdbhead

import "bytes"

// What an RDB file begins with. Four digits of the version of the format follow, or the three that
// fill nine bytes. Valkey since 9.0 writes Valkey; Size is how many bytes [Begins] looks at.
const (
	Redis  = "REDIS"
	Valkey = "VALKEY"
	Size   = len(Valkey)
)

// Begins reports whether head, the first bytes of a file, are those of an RDB file. Servers before
// Valkey 9.0 do not know Valkey: for them valkey is false.
func Begins(head []byte, valkey bool) bool {
	return bytes.HasPrefix(head, []byte(Redis)) || valkey && bytes.HasPrefix(head, []byte(Valkey))
}
