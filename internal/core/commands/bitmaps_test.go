package commands

import (
	"strconv"
	"testing"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/stretchr/testify/require"
)

func TestBitmapEvents(t *testing.T) {
	testEvents(t, []eventCase{
		{"setbit a 0 0", "setbit a"},
		{"setbit a 0 0", ""},
		{"setbit a 0 1", "setbit a"},
		{"bitop not b a", "set b"},
		{"bitop and b nokey", "del b"},
		{"bitop and b nokey", ""},
		{"bitop not a a", "set a"},
		{"bitfield c get u8 0", ""},
		{"bitfield c set u8 0 0 set u8 8 5", "setbit c"},
		{"bitfield c set u8 0 0", ""},
		{"bitfield d overflow fail set u8 0 300", ""},
		{"bitfield d overflow fail set u8 0 300 set u8 0 1", "setbit d"},
	})
}

func TestHLLEvents(t *testing.T) {
	testEvents(t, []eventCase{
		{"pfadd h", "pfadd h"},
		{"pfadd h", ""},
		{"pfadd h a", "pfadd h"},
		{"pfadd h a", ""},
		{"pfmerge h", "pfadd h"},
		{"pfmerge h2 h", "pfadd h2"},
		{"pfcount h h2", ""},
		{"pfdebug todense h", ""},
		{"pfdebug getreg h2", ""},
	})
}

func TestPFCountChangesWithoutEvent(t *testing.T) {
	s, sess := benchServer([]string{"PFADD", "h", "a"})
	var changes []datastore.Change
	s.Store.Listen(func(ch *datastore.Change) { changes = append(changes, *ch) })
	for range 2 { // the second time the estimate is there
		require.Equal(t, int64(1), s.Execute(sess, cmdtable.DoorClient, []string{"PFCOUNT", "h"}).MustInt())
	}
	require.Equal(t, []datastore.Change{{DB: sess.DB, Key: "h"}}, changes)
}

func BenchmarkSetBit(b *testing.B) {
	s, sess := benchServer([]string{"SETBIT", "visits", "8000000", "1"})
	offsets := make([]string, 1<<16)
	for i := range offsets {
		offsets[i] = strconv.Itoa(i * 7919 % 8000000)
	}
	args := []string{"SETBIT", "visits", "", "1"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		args[2] = offsets[i%len(offsets)]
		s.Execute(sess, cmdtable.DoorClient, args)
	}
}

func BenchmarkGetBit(b *testing.B) {
	benchStringCommand(b, [][]string{{"SETBIT", "visits", "8000000", "1"}}, "GETBIT", "visits", "7000000")
}

func BenchmarkBitCount1MB(b *testing.B) {
	benchStringCommand(b, [][]string{{"SETBIT", "visits", "8388607", "1"}}, "BITCOUNT", "visits")
}

func BenchmarkBitPos1MB(b *testing.B) {
	benchStringCommand(b, [][]string{{"SETBIT", "visits", "8388607", "1"}}, "BITPOS", "visits", "1")
}

func BenchmarkBitOpAnd1MB(b *testing.B) {
	benchStringCommand(b, [][]string{{"SETBIT", "m", "8388607", "1"}, {"SETBIT", "n", "8388607", "1"}}, "BITOP", "AND", "d", "m", "n")
}

func BenchmarkBitField(b *testing.B) {
	benchStringCommand(b, [][]string{{"SETBIT", "f", "800", "1"}}, "BITFIELD", "f", "INCRBY", "u16", "#3", "1", "GET", "u8", "0")
}

func benchPFAdd(b *testing.B, distinct int) {
	s, sess := benchServer()
	elements := make([]string, distinct)
	for i := range elements {
		elements[i] = "user:" + strconv.Itoa(i)
	}
	args := []string{"PFADD", "h", ""}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		args[2] = elements[i%distinct]
		s.Execute(sess, cmdtable.DoorClient, args)
	}
}

func BenchmarkPFAddSparse(b *testing.B) { benchPFAdd(b, 500) }

func BenchmarkPFAddDense(b *testing.B) { benchPFAdd(b, 1<<16) }

func BenchmarkPFCountOfTwo(b *testing.B) {
	a := []string{"PFADD", "a"}
	for i := range 20000 {
		a = append(a, strconv.Itoa(i))
	}
	benchStringCommand(b, [][]string{a, {"PFADD", "b", "x", "y"}}, "PFCOUNT", "a", "b")
}
