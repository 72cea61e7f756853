package display_test

import (
	"math"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStandardFormatsAsRedisCLI(t *testing.T) {
	a, one := reply.Bulk("a"), reply.Int(1)
	for _, c := range []struct {
		v    reply.Value
		want string
	}{
		{reply.OK(), "OK\n"},
		{reply.Err("ERR x"), "(error) ERR x\n"},
		{reply.Nil(), "(nil)\n"},
		{reply.NilArray(), "(nil)\n"},
		{reply.None(), ""},
		{one, "(integer) 1\n"},
		{reply.Bulk("\"\\\n\r\t\a\b\x01é "), `"\"\\\n\r\t\a\b\x01\xc3\xa9 "` + "\n"},
		{reply.Double(3.25), "(double) 3.25\n"},
		{reply.Bool(true), "(true)\n"},
		{reply.Bool(false), "(false)\n"},
		{reply.Verbatim("txt", "a\"b"), "a\"b\n"},
		{reply.BigNumber("12"), "(big number) 12\n"},
		{reply.Array(), "(empty array)\n"},
		{reply.Map(), "(empty hash)\n"},
		{reply.Set(), "(empty set)\n"},
		{reply.Array(a, reply.Array(one, reply.Array(one, a))),
			"1) \"a\"\n2) 1) (integer) 1\n   2) 1) (integer) 1\n      2) \"a\"\n"},
		{reply.Map(a, one, one, reply.Set(a)), "1# \"a\" => (integer) 1\n2# (integer) 1 => 1~ \"a\"\n"},
		{reply.Map(a, reply.Array(one, one)), "1# \"a\" => \n   1) (integer) 1\n   2) (integer) 1\n"},
		{reply.Attribute(one, a, a), "(integer) 1\n"},
	} {
		assert.Equal(t, c.want, string(display.Standard(nil, c.v)))
	}
}

func TestRaw(t *testing.T) {
	v := reply.Array(reply.Bulk("a\x01"), reply.Array(reply.Int(1), reply.Nil()), reply.Err("ERR x"),
		reply.Map(reply.Bulk("k"), reply.Bool(true)))
	require.Equal(t, "a\x01\n1\n\nERR x\n\nk (true)\n", string(display.Raw(nil, v)))
	require.Equal(t, "a\n", string(display.Text(nil, reply.Bulk("a\n"))))
}

func TestIsText(t *testing.T) {
	require.True(t, display.IsText([]string{"INFO", "x"}))
	require.True(t, display.IsText([]string{"client", "LIST"}))
	require.False(t, display.IsText([]string{"client", "id"}))
	require.False(t, display.IsText(nil))
}

func TestJSON(t *testing.T) {
	v := reply.Array(reply.Nil(), reply.Int(-1), reply.Bulk("<é\"\n"), reply.Double(0.5), reply.Double(math.Inf(1)), reply.Bool(true),
		reply.Err("ERR x"), reply.OK(), reply.Array(), reply.Map(reply.Bulk("b"), reply.Int(1), reply.Int(2),
			reply.Set(reply.Bulk("\xff"))))
	require.Equal(t, `[null,-1,"<é\"\n",0.5,"inf",true,{"err":"ERR x"},"OK",[],{"b":1,"2":["\ufffd"]}]`, string(display.JSON(nil, v)))
}

func TestSplitParsesQuotesAsRedisCLI(t *testing.T) {
	for line, want := range map[string][]string{
		``:                         nil,
		"  \t ":                    nil,
		`set a "x y"`:              {"set", "a", "x y"},
		`"\x41\n\r\t\b\a\q\"\xzz"`: {"A\n\r\t\b\aq\"xzz"},
		`'a\'b\n"' ""`:             {`a'b\n"`, ""},
		`a"b" c`:                   {"ab", "c"},
		"a\nb\rc\x00d":             {"a", "b", "c"}, // a line ends at NUL, as a C string
	} {
		words, err := display.Split(line)
		require.NoError(t, err, line)
		require.Equal(t, want, words, line)
	}
	for _, line := range []string{`"a"x`, `'a'b`, `"a`, `'a`, `"`, `"\`, `x "a\"`} {
		_, err := display.Split(line)
		require.ErrorIs(t, err, display.ErrQuotes, line)
	}
}

func TestSplitParsesWhatQuotingAppends(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	words, err := display.Split(string(quoting.Append(nil, string(all))))
	require.NoError(t, err)
	require.Equal(t, []string{string(all)}, words)
}
