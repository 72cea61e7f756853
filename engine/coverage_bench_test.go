package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkWatchedLoop measures a script that does nothing except run instructions, for which
// coverage and profile cost most.
func BenchmarkWatchedLoop(b *testing.B) {
	const source = `local n = 0
for i = 1, 1000 do
  if i % 3 == 0 and i % 5 ~= 0 then
    n = n + i
  end
end
return n`
	for _, bench := range []struct {
		name string
		o    Options
	}{{"off", Options{}}, {"coverage", Options{Coverage: NewCoverage()}}, {"profile", Options{Profile: NewProfile()}}} {
		b.Run(bench.name, func(b *testing.B) {
			e, err := New(bench.o)
			require.NoError(b, err)
			defer e.Close()
			script := NewScript(source)
			b.ReportAllocs()
			for range b.N {
				if _, err := script.Run(context.Background(), e, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
