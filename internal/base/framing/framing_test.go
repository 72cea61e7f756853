package framing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

var errLost = errors.New("not this protocol")

// formats are a format that is not strict and a strict one.
var formats = map[bool]*Format{
	false: {Lost: errLost, MaxHeader: 4 << 10, MaxMessage: 1 << 20},
	true:  {Lost: errLost, MaxHeader: 4 << 10, MaxMessage: 1 << 20, Strict: true},
}

func framed(s string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s) }

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, in, want, problem string }{
		{"a message", framed("{}"), "{}", ""},
		{"an empty one", framed(""), "", ""},
		{"with a type", "Content-Type: x; charset=utf-8\r\nContent-Length: 2\r\n\r\nab", "ab", ""},
		{"in other letters, without spaces", "content-length:2\n\nab", "ab", ""},
		{"the longest", framed(strings.Repeat("x", 1<<20)), strings.Repeat("x", 1<<20), ""},
		{"one byte more", framed(strings.Repeat("x", 1<<20+1)), "", "too long"},
		{"no length", "Content-Type: x\r\n\r\nab", "", "no Content-Length"},
		{"no header", "\r\n{}", "", "no Content-Length"},
		{"two lengths", "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", "", "Content-Length: 2"},
		{"a negative length", "Content-Length: -1\r\n\r\n", "", "Content-Length: -1"},
		{"a word", "Content-Length: ten\r\n\r\n", "", "Content-Length: ten"},
		{"more than fits", fmt.Sprintf("Content-Length: %d0\r\n\r\n", uint64(math.MaxUint64)), "", "Content-Length"},
		{"a line of HTTP", "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", "", "POST"},
		{"a header without end", strings.Repeat("Content-Type: x\r\n", 10000), "", "header is too long"},
		{"a line without end", strings.Repeat("C", 100000), "", "header is too long"},
	} {
		for strict, f := range formats {
			t.Run(fmt.Sprintf("%s, strict %v", c.name, strict), func(t *testing.T) {
				for _, in := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
					got, err := f.Read(bufio.NewReader(in))
					if c.problem != "" {
						require.ErrorIs(t, err, errLost)
						require.ErrorContains(t, err, c.problem)
						continue
					}
					require.NoError(t, err)
					require.Equal(t, c.want, string(got))
				}
			})
		}
	}
}

func TestStrict(t *testing.T) {
	const in = "X-Other: y\r\nContent-Length: 2\r\n\r\nab"
	got, err := formats[false].Read(bufio.NewReader(strings.NewReader(in)))
	require.NoError(t, err)
	require.Equal(t, "ab", string(got))
	_, err = formats[true].Read(bufio.NewReader(strings.NewReader(in)))
	require.ErrorIs(t, err, errLost)
}

// An input that ends between messages has ended; one that ends within a message was cut.
func TestTheEnd(t *testing.T) {
	whole := framed("{}")
	for n := range len(whole) {
		r := bufio.NewReader(strings.NewReader(whole + whole[:n]))
		_, err := formats[true].Read(r)
		require.NoError(t, err)
		_, err = formats[true].Read(r)
		if n == 0 {
			require.ErrorIs(t, err, io.EOF)
		} else {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%q", whole[:n])
		}
	}
	broken := errors.New("broken")
	for n := range len(whole) {
		in := io.MultiReader(strings.NewReader(whole[:n]), iotest.ErrReader(broken))
		_, err := formats[true].Read(bufio.NewReader(in))
		require.ErrorIs(t, err, broken)
	}
}

// A header that promises much takes no memory before the bytes come.
func TestPromisesTakeNoMemory(t *testing.T) {
	f := &Format{Lost: errLost, MaxHeader: 4 << 10, MaxMessage: 1 << 30}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := f.Read(bufio.NewReader(strings.NewReader("Content-Length: 1073741824\r\n\r\nab")))
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func TestWhatIsWrittenCanBeRead(t *testing.T) {
	var b bytes.Buffer
	for _, text := range []string{"", "{}", strings.Repeat("x", 200_000)} {
		require.NoError(t, Write(&b, []byte(text)))
		got, err := formats[true].Read(bufio.NewReader(&b))
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	require.ErrorIs(t, Write(failing{}, nil), io.ErrClosedPipe)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func FuzzRead(f *testing.F) {
	f.Add([]byte(framed("{}")))
	f.Add([]byte("Content-Length: 5\r\n\r\n{"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, format := range formats {
			r := bufio.NewReader(bytes.NewReader(in))
			for {
				got, err := format.Read(r)
				if err != nil {
					break
				}
				require.LessOrEqual(t, len(got), len(in))
			}
		}
	})
}
