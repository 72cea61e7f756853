package commands

import (
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

func TestListEvents(t *testing.T) {
	testEvents(t, []eventCase{
		{"lpush l a b c", "lpush l"},
		{"rpush l d", "rpush l"},
		{"lpushx nope a", ""},
		{"rpushx l e", "rpush l"},
		{"lpushx l e", "lpush l"},
		{"lpop l", "lpop l"},
		{"lpop l 0", ""},
		{"lpop l 2", "lpop l"},
		{"rpop l", "rpop l"},
		{"rpop l 5", "rpop l,del l"},
		{"rpop l", ""},
		{"rpush l a b c d", "rpush l"},
		{"lset l 0 x", "lset l"},
		{"lset l 0 x", "lset l"},
		{"linsert l before x y", "linsert l"},
		{"linsert l after x y", "linsert l"},
		{"linsert l after nope y", ""},
		{"linsert nope after x y", ""},
		{"lrem l 0 nope", ""},
		{"lrem l 0 y", "lrem l"},
		{"ltrim l 0 -1", "ltrim l"},
		{"ltrim l 1 -1", "ltrim l"},
		{"ltrim l 5 1", "ltrim l,del l"},
		{"ltrim l 5 1", ""},
		{"rpush l a b c d", "rpush l"},
		{"lmove l l left right", "rpush l,lpop l"},
		{"lmove l m left right", "rpush m,lpop l"},
		{"lmove l m right left", "lpush m,rpop l"},
		{"lmove l m left left", "lpush m,lpop l"},
		{"lmove l m right right", "rpush m,rpop l,del l"},
		{"rpoplpush m m", "lpush m,rpop m"},
		{"rpoplpush m n", "lpush n,rpop m"},
		{"lmove n n left left", "lpush n,lpop n"},
		{"lmove n o left right", "rpush o,lpop n,del n"},
		{"rpoplpush nope o", ""},
		{"lmpop 2 nope m right", "rpop m"},
		{"lmpop 1 m left count 2", "lpop m,del m"},
		{"lmpop 1 m left count 2", ""},
		{"rpush q a b", "rpush q"},
		{"lrem q 0 a", "lrem q"},
		{"lrem q 0 b", "lrem q,del q"},
	})
}

func BenchmarkLists(b *testing.B) {
	b.Run("LPUSH", func(b *testing.B) {
		benchCommand(b, nil, func(i int) string { return fmt.Sprint("lpush l packet:", i) })
	})
	b.Run("RPOP", func(b *testing.B) {
		benchPop(b)
	})
	b.Run("RPOPLPUSH", func(b *testing.B) {
		benchCommand(b, benchLines(100_000, "lpush l packet:%d"), func(int) string { return "rpoplpush l l" })
	})
	b.Run("LINDEX", func(b *testing.B) {
		benchCommand(b, benchLines(100_000, "lpush l packet:%d"), func(i int) string { return fmt.Sprint("lindex l ", i) })
	})
}

// benchPop measures only RPOP: the list is as long as the number of iterations.
func benchPop(b *testing.B) {
	s := server.NewServer(datastore.New(datastore.Options{}), Of(servers.Redis70), slog.New(slog.NewTextHandler(io.Discard, nil)))
	sess := s.NewSession("", "")
	for range b.N {
		s.Execute(sess, cmdtable.DoorClient, []string{"lpush", "l", "packet"})
	}
	args := []string{"rpop", "l"}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		s.Execute(sess, cmdtable.DoorClient, args)
	}
}
