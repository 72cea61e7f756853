package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuickCommandsAreTimedNowAndThen(t *testing.T) {
	p, owner := newPeer(), &testOwner{step: 3000}
	p.Owner = owner
	for range 16 + 32 {
		p.do("get k")
	}
	require.Equal(t, int64(2*(16+2)), owner.reads)
	st := p.Stats.Calls.Of(p.Table.Lookup("get").ID)
	require.Equal(t, int64(3000*(16+32)), st.Nanos)
	p.do("config set slowlog-log-slower-than 0")
	before := owner.reads
	p.do("get k")
	p.do("get k")
	require.Equal(t, int64(4), owner.reads-before)
}
