package dialogue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// Long requests and replies are passed on in pieces, so they take no memory.
func TestLongValuesComeInPieces(t *testing.T) {
	long := strings.Repeat("0123456789", 30_000)
	turns := []string{
		"C:" + command(
			"SET k "+long+" EX 100",
		) + command(
			"GET k",
		), "S:+OK\r\n$" + strconv.Itoa(len(long)) + "\r\n" + long + "\r\n",
		"C:" + command("LRANGE l 0 -1"), "S:" + array("*", strings.Repeat("element ", 20_000)),
	}
	s := play(t, Options{Piece: 1000}, turns, func(left int) int { return min(left, 777) })
	require.Equal(t, []string{
		`request 1 ["SET" "k" "` + long + `" "EX" "100"]`, `request 2 ["GET" "k"]`, `reply 1 "+OK\r\n"`,
		`reply 2 "$300000\r\n` + long + `\r\n"`, `request 3 ["LRANGE" "l" "0" "-1"]`,
		"reply 3 " + strconv.Quote(array("*", strings.Repeat("element ", 20_000))),
	}, s.lines)
	require.Less(t, s.most, 2000)
}

// Of a reply that is longer than the limit, the beginning is passed on, and the size.
func TestRepliesAreCut(t *testing.T) {
	long := strings.Repeat("x", 1000)
	raw := "$1000\r\n" + long + "\r\n"
	for _, size := range []int{1, 7, 100, 5000} {
		s := play(
			t,
			Options{MaxReply: 100},
			[]string{"C:" + command("GET k") + command("GET k"), "S:$3\r\nabc\r\n" + raw},
			func(left int) int { return min(left, size) },
		)
		require.Equal(t, `reply 1 "$3\r\nabc\r\n"`, s.lines[2])
		require.Equal(t, "reply 2 "+strconv.Quote(raw[:100])+" of 1009", s.lines[3])
	}
	for _, limit := range []int64{1008, 1009} {
		var cut *recording.Cut
		d := New(cutSink{&notes{}, &cut}, Options{MaxReply: limit})
		d.Client([]byte(command("GET k")))
		d.Server([]byte(raw[:500]))
		d.Server([]byte(raw[500:]))
		sum := sha256.Sum256([]byte(raw))
		if limit == 1008 {
			require.Equal(t, &recording.Cut{Size: 1009, SHA256: hex.EncodeToString(sum[:])}, cut)
		} else {
			require.Nil(t, cut)
		}
	}
}

type cutSink struct {
	*notes
	cut **recording.Cut
}

func (s cutSink) Reply(n int64, raw []byte, more bool, cut *recording.Cut) {
	*s.cut = cut
	s.notes.Reply(n, raw, more, cut)
}

// The text of a script is marked, so that it is written once.
func TestScriptsAreMarked(t *testing.T) {
	text := "return('" + strings.Repeat("x", 50) + "')"
	for request, want := range map[string]string{
		"EVAL " + text + " 0":           `["EVAL" "script:` + text + `" "0"]`,
		"script load " + text:           `["script" "load" "script:` + text + `"]`,
		"FUNCTION LOAD REPLACE " + text: `["FUNCTION" "LOAD" "REPLACE" "script:` + text + `"]`,
		"EVAL short 0":                  `["EVAL" "short" "0"]`,
		"SET EVAL " + text:              `["SET" "EVAL" "` + text + `"]`,
		"EVAL":                          `["EVAL"]`,
		"SCRIPT":                        `["SCRIPT"]`,
	} {
		s := play(t, Options{}, []string{"C:" + command(request)}, whole)
		require.Equal(t, "request 1 "+want, s.lines[0])
	}
}

// Whatever both sides send, in whatever pieces, the dialogue goes on or stops, and its numbers are
// in order.
func FuzzDialogue(f *testing.F) {
	for _, c := range dialogues {
		f.Add([]byte(strings.Join(c.turns, "\x00")), uint8(7))
	}
	f.Fuzz(func(t *testing.T, turns []byte, size uint8) {
		s := &checker{t: t}
		d := New(s, Options{Piece: 64, MaxReply: 100})
		for _, turn := range bytes.Split(turns, []byte{0}) {
			if len(turn) < 2 {
				continue
			}
			for b := turn[2:]; len(b) > 0; {
				n := min(len(b), int(size)+1)
				if turn[0] == 'C' {
					d.Client(b[:n])
				} else {
					d.Server(b[:n])
				}
				b = b[n:]
			}
		}
		d.End()
	})
}

// checker checks the order of what it gets.
type checker struct {
	t               *testing.T
	asked, answered int64
	begun, stopped  bool
}

func (c *checker) Request(n int64, args []recording.Arg, more bool) {
	require.False(c.t, c.stopped)
	require.NotEmpty(c.t, args)
	require.Equal(c.t, c.asked+1, n)
	if !more {
		c.asked++
	}
}

func (c *checker) answer(n int64) {
	require.False(c.t, c.stopped)
	require.Equal(c.t, c.answered+1, n)
	require.LessOrEqual(c.t, n, c.asked)
}

func (c *checker) Reply(n int64, _ []byte, more bool, _ *recording.Cut) {
	c.answer(n)
	if c.begun = more; !more {
		c.answered++
	}
}

func (c *checker) HiddenReply(n int64) {
	c.answer(n)
	c.answered++
}

func (c *checker) Silent(n int64) {
	c.answer(n)
	require.False(c.t, c.begun)
	c.answered++
}

func (c *checker) Push([]byte, bool) { require.False(c.t, c.stopped) }

func (c *checker) Unparsed(string) {
	require.False(c.t, c.stopped)
	c.stopped = true
}

// A length that does not fit ends the recording of the connection, not the program.
func TestLengthsThatDoNotFit(t *testing.T) {
	for _, length := range []string{"9223372036854775807", "9223372036854775806", "1099511627777", "99999999999999999999"} {
		s := play(t, Options{}, []string{"C:*1\r\n$" + length + "\r\nPING\r\n", "S:$" + length + "\r\nx\r\n"}, whole)
		require.Equal(t, []string{"unparsed the client has sent what is not a request"}, s.lines, length)
	}
}

// After CLIENT REPLY OFF the server says nothing: what waits for a reply does not grow without end.
func TestManyRequestsWithoutReply(t *testing.T) {
	s := &notes{}
	d := New(s, Options{})
	d.Client([]byte(command("CLIENT REPLY OFF")))
	one := []byte(command("SET k v"))
	for range 3 * manyWaiting {
		d.Client(one)
		require.LessOrEqual(t, d.Waiting(), manyWaiting)
	}
	d.Client([]byte(command("CLIENT REPLY ON") + command("PING")))
	d.Server([]byte("+OK\r\n+PONG\r\n"))
	n := 3*manyWaiting + 3
	require.Equal(t, []string{fmt.Sprintf(`reply %d "+OK\r\n"`, n-1), fmt.Sprintf(`reply %d "+PONG\r\n"`, n)}, s.lines[len(s.lines)-2:])
	require.Len(t, s.lines, 2*n)
}

// A push whose first element is long is passed on in pieces.
func TestLongFirstElements(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	s := play(t, Options{}, []string{"S:>1\r\n$100000\r\n" + long + "\r\n"}, func(left int) int { return min(left, 100) })
	require.Equal(t, []string{"push " + strconv.Quote(">1\r\n$100000\r\n"+long+"\r\n")}, s.lines)
	require.Less(t, s.longestPush, 1000)
}
