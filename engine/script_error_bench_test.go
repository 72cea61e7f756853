package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkScriptOfWrites measures a script that makes a hundred small writes, the case in which
// the list of writes and the journal cost most. Only the last policy has a journal.
func BenchmarkScriptOfWrites(b *testing.B) {
	for _, bench := range []struct {
		name string
		o    Options
	}{{"keep", Options{}}, {"rollback", Options{OnScriptError: Rollback}}} {
		b.Run(bench.name, func(b *testing.B) {
			e, err := New(bench.o)
			require.NoError(b, err)
			defer e.Close()
			script := NewScript(`for i = 1, 50 do redis.call('INCR', KEYS[1]) redis.call('HSET', KEYS[2], ARGV[1], i) end`)
			b.ReportAllocs()
			for range b.N {
				if _, err := script.Run(context.Background(), e, []string{"n", "h"}, "field"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
