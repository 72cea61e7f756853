package resp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// feed passes wire to p in pieces of at most size bytes and returns the requests.
func feed(p *parser, wire string, size int) (got [][]string, err error) {
	for len(wire) > 0 {
		n := copy(p.room(), wire[:min(size, len(wire))])
		p.fill(n)
		wire = wire[n:]
		for {
			args, err := p.next()
			if err != nil {
				return got, err
			}
			if args == nil {
				break
			}
			got = append(got, append([]string(nil), args...))
		}
		p.reset()
	}
	return got, nil
}

var requestCases = []struct {
	name, wire string
	want       [][]string
	err        string
}{
	{"multibulk", "*2\r\n$3\r\nGET\r\n$1\r\na\r\n", [][]string{{"GET", "a"}}, ""},
	{"pipeline", "*1\r\n$1\r\na\r\nb c\r\n*1\r\n$1\r\nd\r\n", [][]string{{"a"}, {"b", "c"}, {"d"}}, ""},
	{"empty arguments", "*2\r\n$0\r\n\r\n$0\r\n\r\n", [][]string{{"", ""}}, ""},
	{"binary", "*1\r\n$4\r\n\x00\r\n\xff\r\n", [][]string{{"\x00\r\n\xff"}}, ""},
	{"empty requests", "*0\r\n*-1\r\n*-9223372036854775808\r\n\r\n\n  \r\nPING\r\n", [][]string{{"PING"}}, ""},
	{"any byte after CR", "*1\rx$4\rxPINGxx", [][]string{{"PING"}}, ""},
	{"line feed alone", "PING\n", [][]string{{"PING"}}, ""},
	{"quotes", `a "b\x41\n\q" 'c\'d\n' e"f" ''` + "\r\n", [][]string{{"a", "bA\nq", `c'd\n`, "ef", ""}}, ""},
	{"half escapes", `"\x4" "\xzz" "\\"` + "\r\n", [][]string{{"x4", "xzz", `\`}}, ""},
	{"vertical tab", "a \vb\vc\r\n", [][]string{{"a", "b\vc"}}, ""},
	{"NUL hides the line end", "a\x00b\r\nPING\r\n", nil, ""},
	{"NUL hides the count's end", "*1\x00\r\n$4\r\nPING\r\n", nil, ""},
	{"half-sent", "*2\r\n$3\r\nGET\r\n$5\r\nab", nil, ""},
	{"count too large to be true", "*2147483647\r\n", nil, ""},

	{"open quote", `echo "a` + "\r\n", nil, "unbalanced quotes in request"},
	{"quote within a word", `echo 'a'b` + "\r\n", nil, "unbalanced quotes in request"},
	{"count not a number", "*x\r\n", nil, "invalid multibulk length"},
	{"no count", "*\r\n", nil, "invalid multibulk length"},
	{"count with leading zero", "*01\r\n", nil, "invalid multibulk length"},
	{"negative zero", "*-0\r\n", nil, "invalid multibulk length"},
	{"count below 64 bits", "*-9223372036854775809\r\n", nil, "invalid multibulk length"},
	{"count above 2^31-1", "*2147483648\r\n", nil, "invalid multibulk length"},
	{"no dollar", "*1\r\nx4\r\n", nil, "expected '$', got 'x'"},
	{"line end for a dollar", "*1\r\n\r\n", nil, "expected '$', got '\r'"},
	{"no length", "*1\r\n$\r\n", nil, "invalid bulk length"},
	{"negative length", "*1\r\n$-1\r\n", nil, "invalid bulk length"},
	{"length above 64 bits", "*1\r\n$99999999999999999999\r\n", nil, "invalid bulk length"},
	{"600 MB announced", "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$600000000\r\n", nil, "invalid bulk length"},
	{"long inline", strings.Repeat("x", 65537), nil, "too big inline request"},
	{"long count", "*" + strings.Repeat("1", 65536), nil, "too big mbulk count string"},
	{"long length", "*1\r\n$" + strings.Repeat("1", 65536), nil, "too big bulk count string"},
	{"long, but not too long", strings.Repeat("x", 65536), nil, ""},
	{"after a good one", "PING\r\n*x\r\n", [][]string{{"PING"}}, "invalid multibulk length"},
}

func TestParserSplitsRequests(t *testing.T) {
	for _, c := range requestCases {
		for _, size := range []int{1, 3, 1 << 20} {
			if size == 1 && len(c.wire) > 1000 {
				continue
			}
			t.Run(fmt.Sprintf("%s by %d", c.name, size), func(t *testing.T) {
				got, err := feed(newParser(), c.wire, size)
				assert.Equal(t, c.want, got)
				if c.err == "" {
					assert.NoError(t, err)
				} else {
					assert.EqualError(t, err, "Protocol error: "+c.err)
				}
			})
		}
	}
}

func TestParserTakesArgumentsOfEverySize(t *testing.T) {
	for _, size := range []int{0, 1, 63, 64, 255, 256, 257, readSize - 30, readSize, readSize + 1, 64 << 10, 3<<16 + 5} {
		arg := strings.Repeat("v", size)
		want := []string{"SET", "k", arg, "tail"}
		wire := string(AppendCommand(AppendCommand(nil, want...), "PING"))
		for _, piece := range []int{7, 1000, 1 << 20} {
			got, err := feed(newParser(), wire, piece)
			require.NoError(t, err)
			require.Equal(t, [][]string{want, {"PING"}}, got, "argument of %d in pieces of %d", size, piece)
		}
	}
}

func TestParserTakesManyArguments(t *testing.T) {
	want := []string{"MSET"}
	for i := range 20_000 {
		want = append(want, fmt.Sprint("key:", i), strings.Repeat("v", i%300))
	}
	got, err := feed(newParser(), string(AppendCommand(nil, want...)), 5000)
	require.NoError(t, err)
	require.Equal(t, [][]string{want}, got)
}

func TestAnnouncedBytesAreNotAllocated(t *testing.T) {
	p := newParser()
	_, err := feed(p, "*2147483647\r\n$536870912\r\nab", 1<<20)
	require.NoError(t, err)
	assert.LessOrEqual(t, p.size(), int64(readSize+64<<10))
	assert.LessOrEqual(t, cap(p.arena), arenaKeep)
}

func TestReadBufferShrinksAgain(t *testing.T) {
	p := newParser()
	got, err := feed(p, strings.Repeat("x", 60_000)+"\r\nPING\r\n", 1000)
	require.NoError(t, err)
	require.Len(t, got, 2)
	p.room()
	assert.Len(t, p.buf, readSize)
}

func TestBeforeAuthenticationLimitsAreStricter(t *testing.T) {
	for wire, text := range map[string]string{
		"*11\r\n":             "unauthenticated multibulk length",
		"*2\r\n$16385\r\n":    "unauthenticated bulk length",
		"*10\r\n$16384\r\nab": "",
	} {
		p := newParser()
		p.noAuth = true
		_, err := feed(p, wire, 1<<20)
		if text == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, "Protocol error: "+text)
		}
	}
}

func TestSmallRequestCostsOneAllocation(t *testing.T) {
	p := newParser()
	wire := string(AppendCommand(nil, "SET", "key:1", "value"))
	_, _ = feed(p, wire, 1<<20) // adds the command name to the cache
	got := testing.AllocsPerRun(100, func() {
		p.fill(copy(p.room(), wire))
		_, _ = p.next()
		p.reset()
	})
	assert.Equal(t, 1.0, got)
}

func FuzzParser(f *testing.F) {
	for _, c := range requestCases {
		if len(c.wire) < 1000 {
			f.Add(c.wire, uint(3))
		}
	}
	f.Add("*2\r\n$20000\r\n"+strings.Repeat("y", 20000)+"\r\n$1\r\na\r\n", uint(100))
	f.Fuzz(func(t *testing.T, wire string, size uint) {
		whole, errWhole := feed(newParser(), wire, 1<<20)
		p := newParser()
		pieces, errPieces := feed(p, wire, int(size%5000)+1)
		require.LessOrEqual(t, p.size(), int64(256<<10+4*len(wire)))
		if errWhole == nil && errPieces == nil {
			require.Equal(t, whole, pieces)
			return
		}
		if len(wire) < inlineMax {
			require.Equal(t, errWhole, errPieces)
			require.Equal(t, whole, pieces)
		}
	})
}
