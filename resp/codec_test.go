package resp

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/reply"
)

// codecCases are values and their bytes as redis-server 7.0.15 sends them (DEBUG PROTOCOL, EVAL).
var codecCases = []struct {
	name         string
	v            reply.Value
	resp2, resp3 string
}{
	{"bulk", reply.Bulk("Hello World"), "$11\r\nHello World\r\n", "$11\r\nHello World\r\n"},
	{"empty bulk", reply.Bulk(""), "$0\r\n\r\n", "$0\r\n\r\n"},
	{"binary bulk", reply.Bulk("\x00\r\n\xff"), "$4\r\n\x00\r\n\xff\r\n", "$4\r\n\x00\r\n\xff\r\n"},
	{"status", reply.OK(), "+OK\r\n", "+OK\r\n"},
	{"status with breaks", reply.Status("1\n\r2"), "+1  2\r\n", "+1  2\r\n"},
	{"error", reply.Err("ERR a b"), "-ERR a b\r\n", "-ERR a b\r\n"},
	{"integer", reply.Int(12345), ":12345\r\n", ":12345\r\n"},
	{"least integer", reply.Int(math.MinInt64), ":-9223372036854775808\r\n", ":-9223372036854775808\r\n"},
	{"null", reply.Nil(), "$-1\r\n", "_\r\n"},
	{"null array", reply.NilArray(), "*-1\r\n", "_\r\n"},
	{"double", reply.Double(3.141), "$5\r\n3.141\r\n", ",3.141\r\n"},
	{"inexact double", reply.Double(0.1), "$19\r\n0.10000000000000001\r\n", ",0.10000000000000001\r\n"},
	{"whole double", reply.Double(3), "$1\r\n3\r\n", ",3\r\n"},
	{"large double", reply.Double(1e20), "$5\r\n1e+20\r\n", ",1e+20\r\n"},
	{"negative zero", reply.Double(math.Copysign(0, -1)), "$2\r\n-0\r\n", ",-0\r\n"},
	{"infinity", reply.Double(math.Inf(1)), "$3\r\ninf\r\n", ",inf\r\n"},
	{"negative infinity", reply.Double(math.Inf(-1)), "$4\r\n-inf\r\n", ",-inf\r\n"},
	{"array", reply.Array(reply.Int(0), reply.Bulk("a")), "*2\r\n:0\r\n$1\r\na\r\n", "*2\r\n:0\r\n$1\r\na\r\n"},
	{"empty array", reply.Array(), "*0\r\n", "*0\r\n"},
	{"set", reply.Set(reply.Int(0), reply.Int(1)), "*2\r\n:0\r\n:1\r\n", "~2\r\n:0\r\n:1\r\n"},
	{"map", reply.Map(reply.Int(0), reply.Bool(false), reply.Int(1), reply.Bool(true)),
		"*4\r\n:0\r\n:0\r\n:1\r\n:1\r\n", "%2\r\n:0\r\n#f\r\n:1\r\n#t\r\n"},
	{"nested", reply.Array(reply.Map(reply.Bulk("a"), reply.Set(reply.Nil()))),
		"*1\r\n*2\r\n$1\r\na\r\n*1\r\n$-1\r\n", "*1\r\n%1\r\n$1\r\na\r\n~1\r\n_\r\n"},
	{"push", reply.Push(reply.Bulk("x"), reply.Int(42)), "*2\r\n$1\r\nx\r\n:42\r\n", ">2\r\n$1\r\nx\r\n:42\r\n"},
	{"attribute", reply.Attribute(reply.Bulk("r"), reply.Bulk("k"), reply.Array(reply.Int(90))),
		"$1\r\nr\r\n", "|1\r\n$1\r\nk\r\n*1\r\n:90\r\n$1\r\nr\r\n"},
	{"verbatim", reply.Verbatim("txt", "a\nb"), "$3\r\na\nb\r\n", "=7\r\ntxt:a\nb\r\n"},
	{"big number", reply.BigNumber("1234567999999999999999999999999999999"),
		"$37\r\n1234567999999999999999999999999999999\r\n", "(1234567999999999999999999999999999999\r\n"},
	{"none", reply.None(), "", ""},
}

func TestAppendWritesWhatRedisWrites(t *testing.T) {
	for _, c := range codecCases {
		assert.Equal(t, c.resp2, string(Append(nil, c.v, 2)), "%s in RESP2", c.name)
		assert.Equal(t, c.resp3, string(Append(nil, c.v, 3)), "%s in RESP3", c.name)
	}
}

func TestAppendKeepsThePrefix(t *testing.T) {
	assert.Equal(t, "+OK\r\n$1\r\na\r\n", string(Append([]byte("+OK\r\n"), reply.Bulk("a"), 2)))
}

func TestAppendCommandIsAnArrayOfBulks(t *testing.T) {
	assert.Equal(t, "*2\r\n$3\r\nGET\r\n$2\r\n\x00\n\r\n", string(AppendCommand(nil, "GET", "\x00\n")))
}

func TestDecoderReadsBackBothProtocols(t *testing.T) {
	for _, c := range codecCases {
		for proto, wire := range map[int]string{2: c.resp2, 3: c.resp3} {
			if wire == "" {
				continue
			}
			v, err := NewDecoder(iotest.OneByteReader(strings.NewReader(wire))).Decode()
			require.NoError(t, err, "%s in RESP%d", c.name, proto)
			assert.Equal(t, wire, string(Append(nil, v, proto)), "%s in RESP%d", c.name, proto)
		}
	}
}

func TestDecoderReadsOneReplyAfterAnother(t *testing.T) {
	d := NewDecoder(strings.NewReader("+a\r\n:1\r\n!5\r\nERR x\r\n"))
	for _, want := range []reply.Value{reply.Status("a"), reply.Int(1), reply.Err("ERR x")} {
		v, err := d.Decode()
		require.NoError(t, err)
		assert.Equal(t, want.Kind(), v.Kind())
		assert.Equal(t, want.Text(), v.Text())
	}
	_, err := d.Decode()
	assert.Equal(t, io.EOF, err)
}

func TestDecoderReadsStringsLongerThanItsBuffer(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	d := NewDecoder(bytes.NewReader(Append(Append(nil, reply.Bulk(long), 3), reply.Status(long), 3)))
	for range 2 {
		v, err := d.Decode()
		require.NoError(t, err)
		assert.Equal(t, long, v.Text())
	}
}

func TestDecoderRefusesMalformedReplies(t *testing.T) {
	for _, wire := range []string{"\r\n", "x\r\n", "+a\n", ":x\r\n", ":\r\n", "$x\r\n", "$-2\r\n", "$1\r\nabc", "$99999999999\r\n",
		"*-2\r\n", "*x\r\n", "#x\r\n", ",x\r\n", "=2\r\nab\r\n", strings.Repeat("*1\r\n", 5000)} {
		_, err := NewDecoder(strings.NewReader(wire)).Decode()
		assert.ErrorIs(t, err, ErrProtocol, "%.20q", wire)
	}
}

func TestDecoderReportsATruncatedReply(t *testing.T) {
	for _, wire := range []string{"+a", "$3\r\nab", "$3\r\nabc", "*2\r\n:1\r\n", "*2147483647\r\n", "$1073741824\r\n"} {
		_, err := NewDecoder(strings.NewReader(wire)).Decode()
		assert.Equal(t, io.ErrUnexpectedEOF, err, "%q", wire)
	}
}

func FuzzDecoder(f *testing.F) {
	for _, c := range codecCases {
		f.Add([]byte(c.resp2))
		f.Add([]byte(c.resp3))
	}
	f.Add([]byte("*2147483647\r\n*2147483647\r\n"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		d := NewDecoder(bytes.NewReader(wire))
		for {
			v, err := d.Decode()
			if err != nil {
				return
			}
			again, err := NewDecoder(bytes.NewReader(Append(nil, v, 3))).Decode()
			require.NoError(t, err)
			require.Equal(t, Append(nil, v, 3), Append(nil, again, 3))
		}
	})
}
