package commands

import (
	"fmt"
	"testing"
)

func TestSetEvents(t *testing.T) {
	testEvents(t, []eventCase{
		{"sadd s 1 2 3", "sadd s"},
		{"sadd s 1", ""},
		{"sadd s 1 x", "sadd s"},
		{"srem s 9", ""},
		{"srem s 1 9", "srem s"},
		{"srem s 2 3 x", "srem s,del s"},
		{"srem s 1", ""},
		{"sadd s 1 2 3", "sadd s"},
		{"spop s 0", ""},
		{"spop s 2", "spop s"},
		{"spop s", "spop s,del s"},
		{"spop s", ""},
		{"spop s 2", ""},
		{"sadd s 1 2 3", "sadd s"},
		{"spop s 3", "spop s,del s"},
		{"sadd s 1 2 3", "sadd s"},
		{"spop s 9", "spop s,del s"},
		{"sadd s 1 2 3", "sadd s"},
		{"smove s t 1", "srem s,sadd t"},
		{"smove s t 9", ""},
		{"smove s s 2", ""},
		{"smove s s 9", ""},
		{"smove s t 2", "srem s,sadd t"},
		{"smove s t 3", "srem s,del s,sadd t"},
		{"smove s t 3", ""},
		{"sadd s 3", "sadd s"},
		{"smove s t 3", "srem s,del s"},
		{"sadd s 1", "sadd s"},
		{"sinterstore d s t", "sinterstore d"},
		{"sinterstore d t", "sinterstore d"},
		{"sinterstore d nope", "del d"},
		{"sinterstore d nope", ""},
		{"sunionstore d nope", ""},
		{"sunionstore d s t", "sunionstore d"},
		{"sunionstore d d", "sunionstore d"},
		{"sunionstore d nope", "del d"},
		{"sdiffstore d t", "sdiffstore d"},
		{"sdiffstore d t t", "del d"},
		{"sdiffstore d t t", ""},
		{"set str x", "set str"},
		{"sdiffstore str t", "sdiffstore str"},
		{"sinterstore str nope", "del str"},
	})
}

func BenchmarkSets(b *testing.B) {
	words := benchLines(100_000, "sadd s user:%d")
	b.Run("SADD", func(b *testing.B) {
		benchCommand(b, words, func(i int) string { return fmt.Sprint("sadd s user:", i) })
	})
	b.Run("SADDnew", func(b *testing.B) {
		benchCommand(b, nil, func(i int) string { return fmt.Sprint("sadd s user:", i) })
	})
	b.Run("SADDintset", func(b *testing.B) {
		benchCommand(b, nil, func(i int) string { return fmt.Sprint("sadd s ", i%500) })
	})
	b.Run("SISMEMBER", func(b *testing.B) {
		benchCommand(b, words, func(i int) string { return fmt.Sprint("sismember s user:", i) })
	})
}
