package goroutine_test

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
)

func TestLiveGoroutinesDiffer(t *testing.T) {
	if goroutine.Self() == 0 {
		t.Skip("goroutines are not told apart on " + runtime.GOARCH)
	}
	const n = 100
	seen, release := make(chan uintptr), make(chan struct{})
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			self := goroutine.Self()
			seen <- self
			<-release
			deep(200) // the stack moves
			if goroutine.Self() != self {
				t.Error("a goroutine has become another")
			}
		})
	}
	all := map[uintptr]bool{goroutine.Self(): true}
	for range n {
		all[<-seen] = true
	}
	close(release)
	wg.Wait()
	require.Len(t, all, n+1)
}

func TestInBubble(t *testing.T) {
	require.False(t, goroutine.InBubble())
	synctest.Test(t, func(t *testing.T) { require.True(t, goroutine.InBubble()) })
}

func deep(n int) byte {
	var frame [1024]byte
	if n > 0 {
		frame[n] = deep(n - 1)
	}
	return frame[n]
}

func BenchmarkSelf(b *testing.B) {
	for b.Loop() {
		goroutine.Self()
	}
}
