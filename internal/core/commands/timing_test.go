package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuickCommandsAreTimedNowAndThen(t *testing.T) {
	p := newPeer()
	now := int64(0)
	reads := 0
	p.Monotonic = func() int64 { reads++; now += 3000; return now }
	for range 16 + 32 {
		p.do("get k")
	}
	require.Equal(t, 2*(16+2), reads)
	st := p.Stats.Calls.Of(p.Table.Lookup("get").ID)
	require.Equal(t, int64(3000*(16+32)), st.Nanos)
	p.do("config set slowlog-log-slower-than 0")
	before := reads
	p.do("get k")
	p.do("get k")
	require.Equal(t, 4, reads-before)
}
