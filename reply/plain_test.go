package reply_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/reply"
)

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		v    reply.Value
		want any
	}{
		{reply.Nil(), nil}, {reply.NilArray(), nil}, {reply.None(), nil}, {reply.Value{}, nil},
		{reply.Bulk("a\x00"), "a\x00"}, {reply.Bulk(""), ""}, {reply.OK(), "OK"}, {reply.Verbatim("txt", "v"), "v"},
		{reply.BigNumber("12"), "12"},
		{reply.Int(-3), int64(-3)}, {reply.Double(1.5), 1.5}, {reply.Decimal(2.5), 2.5}, {reply.Bool(true), true},
		{reply.Err("ERR no"), &reply.Error{Code: "ERR", Message: "no"}},
		{reply.Array(), []any{}}, {reply.Bulks("a", "b"), []any{"a", "b"}},
		{reply.Array(reply.Nil(), reply.Array(reply.Int(1))), []any{nil, []any{int64(1)}}},
		{reply.Set(reply.Int(1)), []any{int64(1)}}, {reply.Push(reply.Bulk("message")), []any{"message"}},
		{reply.Map(), map[string]any{}}, {reply.Map(reply.Bulk("f"), reply.Int(1)), map[string]any{"f": int64(1)}},
		{reply.Map(reply.Array(), reply.Int(1)), []any{[]any{}, int64(1)}},
		{reply.Map(reply.Int(1), reply.Bulk("a"), reply.Bulk("1"), reply.Bulk("b")), []any{int64(1), "a", "1", "b"}},
		{reply.Attribute(reply.Int(7), reply.Bulk("ttl"), reply.Int(1)), int64(7)},
		{reply.Pushed(reply.Int(8), reply.Push(reply.Bulk("x"))), int64(8)},
	} {
		require.Equal(t, c.want, c.v.Plain(), c.v.GoString())
	}
}

// A reply as JSON.
func ExampleValue_Plain() {
	v := reply.Map(reply.Bulk("stock"), reply.Int(3), reply.Bulk("buyers"), reply.Bulks("ann", "bob"))
	text, err := json.Marshal(v.Plain())
	fmt.Println(string(text), err)
	// Output: {"buyers":["ann","bob"],"stock":3} <nil>
}
