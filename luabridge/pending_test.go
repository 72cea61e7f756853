package luabridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/reply"
)

// nested is a reply of arrays in arrays.
func nested() reply.Value {
	many := make([]reply.Value, 40)
	for i := range many {
		many[i] = reply.Int(int64(i))
	}
	pair := func(vs ...reply.Value) reply.Value { return reply.Array(vs...) }
	return pair(
		reply.Bulk("text"),
		pair(pair(reply.Bulk("1-1"), pair(reply.Bulk("f"), reply.Bulk("v"))), pair(reply.Bulk("2-1"), pair())),
		pair(reply.Int(1<<53+1), pair(reply.Int(-5))),
		pair(reply.Status("fine"), pair()),
		pair(reply.Err("ERR wrong"), pair(reply.Nil())),
		pair(reply.Nil(), pair(reply.NilArray())),
		pair(reply.Double(1.5), reply.Map(reply.Bulk("k"), pair(reply.Bool(true)))),
		pair(many...),
	)
}

// TestRepliesAreWhatTheyWouldBeIfLookedInto runs scripts twice: as they are, and after a walk over
// all of the reply.
func TestRepliesAreWhatTheyWouldBeIfLookedInto(t *testing.T) {
	const walk = `local function walk(t) for k, v in pairs(t) do if type(v) == 'table' then walk(v) end end end walk(r)`
	vm := New(Options{})
	defer vm.Close()
	run := func(source string) reply.Value {
		s, err := vm.Compile(source)
		require.NoError(t, err)
		h := newHost()
		h.answer = nested()
		return vm.Run(h, s, nil, nil)
	}
	for _, script := range []string{
		"return r", "return r[2]", "return r[3]", "return r[4]", "return r[5]", "return r[6]", "return r[7]", "return r[8]",
		"return {r, 1, r[2], r}", "return {#r, #r[2], #r[8], #r[2][2][2]}", "return r[2][1][2][2]",
		"return {r.x or 'none', r[0] or 0, r[9] or 9, r[1.5] or 1}",
		"r[1] = nil return r", "r[#r + 1] = 'more' return r", "r[2].err = 'ERR mine' return r", "r[8].x = 1 return r[8]",
		"r[2][3] = r return #r[2]",
		"local n = 0 for i, v in ipairs(r[8]) do n = n + v end return n", "local k, v = next(r) return {k, v}",
		"return next(r[2][2][2]) or 'empty'",
		"return {unpack(r, 2)}", "return {unpack(r[8])}", "table.insert(r[8], 1, 7) return r[8]", "return {table.remove(r[8]), r[8]}",
		"return table.concat(r[8], ' ')",
		"table.sort(r[8], function(a, b) return a > b end) return r[8]", "return cjson.encode(r[2])", "return cmsgpack.pack(r[2])",
		"return table.getn(r)",
		"return setmetatable(r[2], {__index = function() return 5 end})[9]", "redis.setresp(3) return r", "redis.setresp(3) return r[6]",
		"collectgarbage() return r", "local w = setmetatable({}, {__mode = 'k'}) w[r[2]] = r[3] collectgarbage() return r",
		"return {pcall(function() return r end)}",
		"return rawequal(r[2], r[2]) and rawget(r, 2)", "rawset(r, 1, 'x') return r", "return {type(r), tostring(r[2][1][1])}",
		"local n = 0 for k, v in pairs(r[2]) do n = n + k end return n", "return select('#', unpack(r[8]))",
		"return {maxn = 1, table.maxn(r), r[1]}",
	} {
		t.Run(script, func(t *testing.T) {
			looked := run("local r = redis.call('answer') " + walk + " " + script)
			plain := run("local r = redis.call('answer') " + script)
			require.Equal(t, shown(looked), shown(plain))
			require.False(t, strings.HasPrefix(plain.Text(), "ERR Error"), plain.Text())
		})
	}
}

// shown is a reply with all that is in it, as text.
func shown(v reply.Value) string {
	if v.Kind() != reply.KindArray {
		return fmt.Sprint(v.Kind(), " ", v.Text())
	}
	parts := []string{}
	for _, e := range v.Slice() {
		parts = append(parts, shown(e))
	}
	return fmt.Sprint(v.Kind(), parts)
}
