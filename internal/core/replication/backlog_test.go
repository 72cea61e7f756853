package replication

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// textOf returns n letters of the stream from an offset on, as append gets them below.
func textOf(offset, n int64) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + (offset+int64(i))%26)
	}
	return string(b)
}

// filled returns a backlog that begins at an offset and has got n bytes of the stream, in pieces.
func filled(size, offset, n, piece int64) *backlog {
	l := newBacklog(size, offset)
	for at := offset; at < offset+n; at += piece {
		l.append([]byte(textOf(at, min(piece, offset+n-at))))
	}
	return l
}

// rest returns what a sender at p reads to the end, in pieces of at most so many bytes.
func rest(l *backlog, p position, most int) (string, position) {
	var b []byte
	for {
		list, next := l.read(nil, p, most)
		if p = next; len(list) == 0 {
			return string(b), p
		}
		got := bytes.Join(list, nil)
		if len(got) > most {
			panic("more than was asked for")
		}
		b = append(b, got...)
	}
}

// holders returns the number of positions that are held.
func holders(l *backlog) (n int) {
	for b := l.first; b != nil; b = b.next {
		n += b.senders
	}
	return n
}

func TestABacklogKeepsTheEndOfTheStream(t *testing.T) {
	for _, c := range []struct{ size, offset, n, piece int64 }{
		{16 << 10, 1, 0, 1},
		{16 << 10, 1, 100, 7},
		{16 << 10, 1, 100_000, 1000},
		{16 << 10, 501, 100_000, 33_333},
		{1 << 20, 1, 100_000, 10},
		{1, 1, 100, 10}, // repl-backlog-size may be as small as that
		{1000, 77, 5000, 5000},
	} {
		l := filled(c.size, c.offset, c.n, c.piece)
		require.Equal(t, c.offset+c.n, l.end, "%+v", c)
		require.GreaterOrEqual(t, l.length(), min(c.size, c.n), "%+v", c)
		require.Less(t, l.length(), c.size+max(c.size/blocks, 1)+c.piece, "%+v", c)
		p := l.at(l.begin)
		got, p := rest(l, p, 1000)
		require.Equal(t, textOf(l.begin, l.length()), got, "%+v", c)
		l.release(p)
		for _, offset := range []int64{l.begin, (l.begin + l.end) / 2, max(l.begin, l.end-1), l.end} {
			require.True(t, l.holds(offset), "%+v: %d", c, offset)
			got, p := rest(l, l.at(offset), 1<<20)
			require.Equal(t, textOf(offset, l.end-offset), got, "%+v: %d", c, offset)
			l.release(p)
		}
		require.False(t, l.holds(l.begin-1) || l.holds(l.end+1), "%+v", c)
		require.Zero(t, holders(l), "%+v: all holds have ended", c)
	}
}

func TestABacklogKeepsWhatASlowSenderNeeds(t *testing.T) {
	l := filled(16_000, 1, 20_000, 100)
	begin := l.begin
	p := l.at(begin)
	l.append([]byte(textOf(l.end, 100_000)))
	require.Equal(t, begin, l.begin)
	require.True(t, l.holds(begin), "another replica can continue there too")
	list, p := l.read(nil, p, 50_000)
	require.Equal(t, textOf(begin, 50_000), string(bytes.Join(list, nil)))
	l.append([]byte(textOf(l.end, 1)))
	require.Greater(t, l.begin, begin, "what it has read is dropped")
	require.LessOrEqual(t, l.begin, begin+50_000)
	second := l.again(p)
	l.release(p)
	was := l.begin
	l.append([]byte(textOf(l.end, 1)))
	require.Equal(t, was, l.begin, "the second sender holds the block, too")
	l.release(second)
	l.append([]byte(textOf(l.end, 1)))
	require.Less(t, l.length(), int64(18_000))
}

func TestASmallerBacklogDropsItsOldestBlocks(t *testing.T) {
	l := filled(160_000, 1, 160_000, 1000)
	require.EqualValues(t, 160_000, l.length())
	l.resize(40_000)
	require.GreaterOrEqual(t, l.length(), int64(40_000))
	require.Less(t, l.length(), int64(50_000))
	l.resize(1 << 20)
	begin := l.begin
	l.append([]byte(textOf(l.end, 100_000)))
	require.Equal(t, begin, l.begin, "a larger one keeps what it has")
}

func TestBytesThatASenderHasReadDoNotChange(t *testing.T) {
	l := filled(1600, 1, 150, 1)
	list, p := l.read(nil, l.at(1), 150)
	want := string(bytes.Join(list, nil))
	for range 100 {
		l.append([]byte(strings.Repeat("!", 60)))
	}
	require.Equal(t, want, string(bytes.Join(list, nil)))
	got, p := rest(l, p, 500)
	require.Equal(t, strings.Repeat("!", 6000), got)
	l.release(p)
}

func TestTheLatestBytesOfABacklog(t *testing.T) {
	l := filled(1600, 1, 1000, 90)
	require.Equal(t, textOf(991, 10), l.latest(10))
	require.Equal(t, textOf(1, 1000), l.latest(5000))
	require.Empty(t, newBacklog(100, 1).latest(10))
}

func TestOffsetsOfABacklogAreShifted(t *testing.T) {
	l := filled(1600, 1, 50, 50)
	l.shift(1000)
	require.True(t, l.holds(1001) && l.holds(1051))
	require.False(t, l.holds(1000) || l.holds(1052))
	got, _ := rest(l, l.at(1041), 100)
	require.Equal(t, textOf(41, 10), got)
}

func TestAHistoryIsKnownByItsIDs(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	for _, c := range []struct {
		history history
		id      string
		offset  int64
		want    bool
	}{
		{history{id: a, second: noSecond, secondUntil: -1}, a, 1 << 40, true},
		{history{id: a, second: noSecond, secondUntil: -1}, strings.ToUpper(a), 1, true},
		{history{id: a, second: noSecond, secondUntil: -1}, b, 1, false},
		{history{id: a, second: noSecond, secondUntil: -1}, "?", -1, false},
		{history{id: a, second: noSecond, secondUntil: -1}, noSecond, 1, false},
		{history{id: a, second: b, secondUntil: 100}, b, 100, true},
		{history{id: a, second: b, secondUntil: 100}, b, 101, false},
		{history{id: a, second: b, secondUntil: 100}, strings.ToUpper(b), 1, true},
		{history{id: a, second: b, secondUntil: 100}, a, 101, true},
	} {
		require.Equal(t, c.want, c.history.knows(c.id, c.offset), "%+v", c)
	}
}
