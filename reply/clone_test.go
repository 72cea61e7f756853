package reply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/reply"
)

func TestACloneIsEqualAndSharesNothing(t *testing.T) {
	elements := []reply.Value{reply.Bulk("a"), reply.Int(7), reply.Nil(), reply.Array()}
	for _, v := range []reply.Value{
		{}, reply.NilArray(), reply.OK(), reply.Counted(reply.Err("ERR x")), reply.Int(-1), reply.Bulk(""), reply.Bulk("text"),
		reply.Array(), reply.Map(reply.Bulk("k"), reply.Int(1)),
		reply.Set(reply.Bulk("m")), reply.Double(1.5), reply.Decimal(0.1), reply.Bool(true), reply.BigNumber("12"),
		reply.Verbatim("txt", "hello"), reply.Bulk("x").In(3), reply.Array(elements...),
	} {
		c := v.Clone()
		require.True(t, v.Equal(c), v.Kind())
		require.Equal(t, v.Kind(), c.Kind())
		require.Equal(t, v.Text(), c.Text())
		require.Equal(t, v.Counted(), c.Counted())
		require.Equal(t, v.Proto(2), c.Proto(2))
		require.Equal(t, v.IsDecimal(), c.IsDecimal())
	}
	v := reply.Array(elements...)
	c := v.Clone()
	elements[0] = reply.Bulk("other")
	require.Equal(t, "a", c.Slice()[0].Text())
	require.False(t, v.Equal(c))
}

func TestValuesDifferByKindAndContent(t *testing.T) {
	all := []reply.Value{
		{}, reply.NilArray(), reply.Status("a"), reply.Bulk("a"), reply.Bulk("b"), reply.Int(0), reply.Int(1),
		reply.Bool(true), reply.Double(1), reply.Array(), reply.Array(reply.Bulk("a")),
		reply.Array(reply.Bulk("b")), reply.Set(reply.Bulk("a")), reply.Array(reply.Bulk("a"), reply.Nil())}
	for i, v := range all {
		for j, w := range all {
			require.Equal(t, i == j, v.Equal(w), "%d and %d", i, j)
		}
	}
}
