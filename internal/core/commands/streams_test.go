package commands

import (
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/stretchr/testify/require"
)

// The events are what redis-server 7.0.15 publishes with notify-keyspace-events AE. The
// numbers are the steps in which its rdb_changes_since_last_save grows.
func TestStreamEvents(t *testing.T) {
	s, sess := newZSetServer()
	s.Store.SetNow(1_700_000_000_000_000)
	var events []string
	s.Store.Listen(func(ch *datastore.Change) {
		if ch.Class != datastore.ClassNew { // A does not include n
			events = append(events, ch.Event+" "+ch.Key)
		}
	})
	for _, c := range []struct {
		command, events string
		dirty           int64
	}{
		{"xadd s 1-1 f v", "xadd s", 1},
		{"xadd s 1-2 f v", "xadd s", 1},
		{"xadd s maxlen 1 1-3 f v", "xadd s,xtrim s", 1},
		{"xadd s maxlen 5 1-4 f v", "xadd s", 1},
		{"xadd s nomkstream 1-5 f v", "xadd s", 1},
		{"xadd n nomkstream 1-5 f v", "", 0},
		{"xgroup create s g 0", "xgroup-create s", 1},
		{"xgroup create n g 0 mkstream", " n,xgroup-create n", 1},
		{"xgroup createconsumer s g c", "xgroup-createconsumer s", 1},
		{"xgroup createconsumer s g c", "", 0},
		{"xgroup setid s g 0", "xgroup-setid s", 1},
		{"xreadgroup group g d count 1 streams s >", "xgroup-createconsumer s", 2},
		{"xreadgroup group g d streams s >", "", 1},
		{"xreadgroup group g d streams s 0", "", 1},
		{"xreadgroup group g e streams s >", "", 0},
		{"xreadgroup group g e streams s 0", "xgroup-createconsumer s", 2},
		{"xclaim s g c 0 1-3", "", 1},
		{"xclaim s g h 0 9-9", "", 0},
		{"xclaim s g h 0 1-3 1-4 justid", "xgroup-createconsumer s", 3},
		{"xclaim s g h 0 1-3 lastid 7-7", "", 1},
		{"xautoclaim s g i 0 0", "xgroup-createconsumer s", 4},
		{"xautoclaim s g j 100000 0", "", 0},
		{"xadd s 8-1 f v", "xadd s", 1},
		{"xadd s 9-1 f v", "xadd s", 1},
		{"xreadgroup group g k noack streams s >", "xgroup-createconsumer s", 2},
		{"xack s g 1-3 1-3 9-9", "", 1},
		{"xdel s 1-4 1-5 77-1", "xdel s", 2},
		{"xdel s 1-4", "", 0},
		{"xclaim s g c 0 1-4", "", 1},
		{"xautoclaim s g c 0 0", "", 1},
		{"xgroup delconsumer s g i", "xgroup-delconsumer s", 1},
		{"xgroup delconsumer s g i", "", 0},
		{"xsetid s 20-1", "xsetid s", 1},
		{"xtrim s maxlen 0", "xtrim s", 3},
		{"xtrim s maxlen 0", "", 0},
		{"xgroup destroy s g", "xgroup-destroy s", 1},
		{"xgroup destroy s g", "", 0},
	} {
		events = nil
		dirty := s.Store.Dirty()
		v := s.Execute(sess, cmdtable.DoorClient, strings.Fields(c.command))
		require.False(t, v.IsError(), "%s: %s", c.command, v.Text())
		require.Equal(t, c.events, strings.Join(events, ","), c.command)
		require.Equal(t, c.dirty, s.Store.Dirty()-dirty, c.command)
	}
	require.NoError(t, s.Store.Check())
}
