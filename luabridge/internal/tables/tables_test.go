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
	assert.Zero(t, testing.AllocsPerRun(100, func() { buf = Hash(tb, buf[:0]) }))
}
