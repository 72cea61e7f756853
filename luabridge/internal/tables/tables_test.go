package tables

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func TestLayout(t *testing.T) {
	theirs, ours := reflect.TypeFor[lua.LTable](), reflect.TypeFor[layout]()
	require.Equal(t, theirs.NumField(), ours.NumField())
	for i := range theirs.NumField() {
		assert.Equal(t, theirs.Field(i).Name, ours.Field(i).Name)
		assert.Equal(t, theirs.Field(i).Type, ours.Field(i).Type)
		assert.Equal(t, theirs.Field(i).Offset, ours.Field(i).Offset)
	}
}

func order(tb *lua.LTable) string {
	var out []string
	for _, e := range Hash(tb, nil) {
		out = append(out, e.Value.String())
	}
	return strings.Join(out, ",")
}

// The expected orders were read off redis-server 7.0.15.
func TestOrderOfInsertedKeys(t *testing.T) {
	tb := New(0, 0)
	for i := 1; i <= 20; i++ {
		SetString(tb, "k"+strconv.Itoa(i), lua.LNumber(i))
	}
	assert.Equal(t, "16,19,11,17,15,20,10,8,1,12,3,2,9,13,18,14,6,7,4,5", order(tb))
}

func TestOrderOfLongKeysHashesEveryByte(t *testing.T) {
	tb := New(0, 0)
	for i := 1; i <= 20; i++ {
		SetString(tb, "prefix_long_prefix_long_prefix_long_"+strconv.Itoa(i)+"_suffix_long_suffix", lua.LNumber(i))
	}
	assert.Equal(t, "20,15,8,16,10,5,14,3,1,6,19,18,17,9,2,13,11,4,12,7", order(tb))
}

func TestOrderOfAConstructor(t *testing.T) {
	tb := New(0, 7)
	for i, k := range strings.Split("abcdefg", "") {
		SetString(tb, k, lua.LNumber(i+1))
	}
	assert.Equal(t, "1,3,2,5,4,7,6", order(tb))
}

func TestSmallTablesAreOrderedWithoutAllocation(t *testing.T) {
	tb := New(0, 0)
	for i := range 16 {
		SetString(tb, "key"+strconv.Itoa(i), lua.LTrue)
	}
	buf := make([]Entry, 0, 16)
	if !raceDetector {
		assert.Zero(t, testing.AllocsPerRun(100, func() { buf = Hash(tb, buf[:0]) }))
	}
	assert.Len(t, Hash(tb, buf[:0]), 16)
}

func keys(tb *lua.LTable) string {
	var out []string
	for _, e := range Entries(tb, nil) {
		out = append(out, e.Key.String())
	}
	return strings.Join(out, " ")
}

// The expected orders and lengths were read off redis-server 7.0.15.
func TestRemovedKeysKeepTheirNodesUntilTheRehash(t *testing.T) {
	tb := New(0, 0)
	for i := 1; i <= 8; i++ {
		SetString(tb, "k"+strconv.Itoa(i), lua.LTrue)
	}
	for i := 1; i <= 8; i += 2 {
		SetString(tb, "k"+strconv.Itoa(i), lua.LNil)
	}
	assert.Equal(t, "k4 k6 k8 k2", keys(tb))
	for i := 1; i <= 8; i += 2 {
		SetString(tb, "k"+strconv.Itoa(i), lua.LTrue)
	}
	assert.Equal(t, "k5 k4 k6 k8 k1 k7 k3 k2", keys(tb))
}

func TestLengthWithHoles(t *testing.T) {
	tb := New(8, 0)
	for i := 1; i <= 8; i++ {
		SetInt(tb, i, lua.LTrue)
	}
	var lengths []int
	for i := 1; i <= 8; i++ {
		SetInt(tb, i, lua.LNil)
		lengths = append(lengths, Len(tb))
	}
	assert.Equal(t, []int{8, 8, 8, 8, 8, 8, 8, 0}, lengths)
}

func TestSparseKeysTakeNoMemory(t *testing.T) {
	tb := New(0, 0)
	SetInt(tb, MaxArray, lua.LTrue)
	Set(tb, lua.LNumber(-1), lua.LFalse)
	SetInt(tb, MaxArray+1, lua.LTrue)
	assert.Empty(t, Array(tb))
	assert.Equal(t, lua.LTrue, GetInt(tb, MaxArray))
	assert.Equal(t, lua.LNil, GetInt(tb, 1))
	assert.Equal(t, lua.LFalse, Get(tb, lua.LNumber(-1)))
	assert.Zero(t, Len(tb))
}

func TestATableOfGopherLuaItselfIsTakenOver(t *testing.T) {
	tb := &lua.LTable{Metatable: lua.LNil}
	tb.RawSetString("a", lua.LNumber(1))
	tb.RawSetInt(1, lua.LNumber(2))
	tb.RawSetH(lua.LTrue, lua.LNumber(3))
	assert.Equal(t, 1, Len(tb))
	SetString(tb, "b", lua.LNumber(4))
	SetString(tb, "a", lua.LNil)
	assert.Equal(t, lua.LNumber(3), Get(tb, lua.LTrue))
	assert.Equal(t, lua.LNil, Get(tb, lua.LString("a")))
	assert.Len(t, Entries(tb, nil), 3)
	require.True(t, Stock(tb))
	tb.RawSetString("c", lua.LNumber(5)) // as its own loop would
	assert.Equal(t, lua.LNumber(4), tb.RawGetString("b"))
}
