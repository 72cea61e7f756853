package luabridge

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const counted = `local function half(n) return math.floor(n / 2) end
local sum = 0
for i = 1, #ARGV do
  if i % 2 == 0 then sum = sum + half(i) end
end
return sum`

// A text that is counted or measured is compiled for one VM: its code has marks, and its counters
// belong to the VM. Others have the code without marks.
func TestWatchedTextsAreNotShared(t *testing.T) {
	plain, err := CompileScript(counted, CompileLimits{})
	require.NoError(t, err)
	length := len(plain.proto.Code)
	for _, l := range []CompileLimits{{Coverage: NewCoverage()}, {Profile: NewProfile()}} {
		first, err := CompileScript(counted, l)
		require.NoError(t, err)
		second, err := CompileScript(counted, l)
		require.NoError(t, err)
		require.NotSame(t, first.compiledText, second.compiledText)
		require.NotSame(t, first.proto, second.proto)
		require.NotSame(t, first.watch, second.watch)
		again, err := CompileScript(counted, CompileLimits{})
		require.NoError(t, err)
		require.Same(t, plain.compiledText, again.compiledText)
		require.Nil(t, again.watch)

		first.Drop()
		require.NoError(t, first.Restore(l))
		require.NotNil(t, first.watch)
		require.NotSame(t, plain.compiledText, first.compiledText)
	}
	require.Len(t, plain.proto.Code, length)
}

// Each run counts once, while other VMs run the same text without being counted. The race detector
// looks for counters that two VMs have.
func TestWatchedVMsAtOnce(t *testing.T) {
	const vms, runs = 16, 20
	coverage, profile := NewCoverage(), NewProfile()
	argv := []string{"a", "b", "c", "d"}
	var all sync.WaitGroup
	for i := range vms {
		all.Go(func() {
			vm := New(Options{})
			defer vm.Close()
			limits := CompileLimits{}
			switch i % 4 {
			case 0:
				limits.Coverage = coverage
			case 1:
				limits.Profile = profile
			case 2:
				limits.Coverage, limits.Profile = coverage, profile
			}
			s, err := CompileScript(counted, limits)
			if err != nil {
				t.Error(err)
				return
			}
			for range runs {
				if v := vm.Run(benchHost{}, s, nil, argv); v.MustInt() != 3 {
					t.Error(v)
				}
			}
		})
	}
	all.Wait()
	scripts := coverage.Scripts()
	require.Len(t, scripts, 1)
	const times = runs * vms / 2
	require.EqualValues(t, times, scripts[0].Runs)
	require.EqualValues(t, 2*times, scripts[0].Functions[0].Hits)
	want := []LineCoverage{{1, 2 * times}, {2, times}, {3, times}, {4, 4 * times}, {6, times}}
	require.Equal(t, want, scripts[0].Lines)
	calls := int64(0)
	for _, s := range profile.Samples() {
		if f := s.Stack[0]; f.Function == "half" {
			calls += s.Hits
		}
	}
	require.EqualValues(t, 2*times, calls)
}
