package replication

import (
	"errors"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// wire is a connection that keeps what is written. It calls full after so many bytes, and then
// returns err.
type wire struct {
	strings.Builder
	longest int // write
	until   int
	full    func()
	err     error
}

func (w *wire) Write(b []byte) (int, error) {
	w.longest = max(w.longest, len(b))
	w.Builder.Write(b)
	if w.full != nil && w.Len() >= w.until {
		w.full()
		w.full = nil
		return len(b), w.err
	}
	return len(b), nil
}

// runUntil runs a sender until it has written so many bytes.
func runUntil(s *sender, n int) *wire {
	over := make(chan struct{})
	w := &wire{until: n, full: func() { close(over) }}
	s.run(w, over)
	return w
}

func TestPartsAreSentBeforeTheStream(t *testing.T) {
	var total atomic.Int64
	s, log := newSender(&total, nil), filled(16<<10, 1, 100, 100)
	s.hold(log, 40)
	require.EqualValues(t, 40, s.streamed.Load())
	require.EqualValues(t, 6, s.add(part{bytes: []byte("first ")}))
	require.EqualValues(t, 13, s.add(part{bytes: []byte("second ")}))
	s.flow()
	log.append([]byte(textOf(101, 50)))
	s.more()
	want := "first second " + textOf(41, 110)
	require.Equal(t, want, runUntil(s, len(want)).String())
	require.EqualValues(t, len(want), total.Load())
	require.EqualValues(t, math.MaxInt64/2, s.streamed.Load(), "nothing waits for a sender that has ended")
	require.Zero(t, holders(log))
	require.Zero(t, s.inMemory())
}

func TestTheStreamWaitsUntilItMayFlow(t *testing.T) {
	s := newSender(new(atomic.Int64), nil)
	s.hold(filled(16<<10, 1, 100, 100), 0)
	s.add(part{bytes: []byte("copy")})
	require.True(t, s.busy.Load())
	_, p, isPart, _ := s.next(nil)
	require.True(t, isPart)
	require.Equal(t, "copy", string(p.bytes))
	_, _, isPart, isStream := s.next(nil)
	require.False(t, isPart || isStream)
	require.False(t, s.busy.Load())
	s.flow()
	require.True(t, s.busy.Load())
	list, _, _, isStream := s.next(nil)
	require.True(t, isStream)
	require.Equal(t, textOf(1, 100), string(list[0]))
	_, _, _, isStream = s.next(nil)
	require.False(t, isStream)
	require.False(t, s.busy.Load())
}

func TestASenderContinuesWhereAnotherHasNotBegun(t *testing.T) {
	log := filled(16<<10, 1, 100, 100)
	a, b := newSender(new(atomic.Int64), nil), newSender(new(atomic.Int64), nil)
	a.hold(log, 60)
	b.hold(log, 10)
	b.holdAs(a)
	require.Equal(t, 2, holders(log))
	a.flow()
	require.Equal(t, textOf(61, 40), runUntil(a, 40).String())
	require.Equal(t, 1, holders(log))
	require.EqualValues(t, 60, b.streamed.Load())
	b.flow()
	require.Equal(t, textOf(61, 40), runUntil(b, 40).String())
}

func TestACopyWaitsForASlowReplica(t *testing.T) {
	lows := 0
	s := newSender(new(atomic.Int64), func() { lows++ })
	const piece = paceLow
	for range paceHigh / piece {
		s.add(part{bytes: make([]byte, piece)})
	}
	require.False(t, s.isPaced())
	s.add(part{bytes: []byte("x")})
	require.True(t, s.isPaced())
	for n := paceHigh/piece - 1; n >= 0; n-- {
		_, p, _, _ := s.next(nil)
		s.done(p)
		require.Equal(t, n*piece+1 >= paceLow, s.isPaced(), n)
	}
	require.Equal(t, 1, lows, "the copy is asked for once")
	require.EqualValues(t, 1, s.inMemory())
	_, p, _, _ := s.next(nil)
	s.done(p)
	require.Equal(t, 1, lows)
}

// copyFile is a file whose text is shorter than what the part says if short is set.
type copyFile struct {
	*strings.Reader
	closed int
}

func (f *copyFile) Write([]byte) (int, error) { return 0, errors.New("read only") }
func (f *copyFile) Close() error              { f.closed++; return nil }

func TestTheLastSenderOfAFileClosesIt(t *testing.T) {
	text := textOf(1, 3*sendPiece/2)
	file := &copyFile{Reader: strings.NewReader(text)}
	shared := &sharedFile{File: file}
	shared.users.Store(2)
	send := func(size int64) (*wire, bool) {
		s, sent := newSender(new(atomic.Int64), nil), false
		s.add(part{file: shared, size: size, sent: func() { sent = true }})
		s.add(part{bytes: []byte("+")})
		over := make(chan struct{})
		w := &wire{until: len(text) + 1, full: func() { close(over) }}
		s.run(w, over)
		return w, sent
	}
	w, sent := send(int64(len(text)))
	require.Equal(t, text+"+", w.String())
	require.Equal(t, sendPiece, w.longest, "progress is seen")
	require.True(t, sent)
	require.Zero(t, file.closed)
	w, sent = send(int64(len(text)) + 1)
	require.Equal(t, text, w.String(), "a file that is too short ends the connection")
	require.False(t, sent)
	require.Equal(t, 1, file.closed)
}

func TestASenderEndsWithItsConnection(t *testing.T) {
	log := filled(16<<10, 1, 100, 100)
	file := &copyFile{Reader: strings.NewReader("")}
	shared := &sharedFile{File: file}
	shared.users.Store(1)
	s := newSender(new(atomic.Int64), nil)
	s.hold(log, 0)
	first := textOf(1, sendPiece)
	s.add(part{bytes: []byte(first + "more")})
	s.add(part{file: shared})
	w := &wire{until: 1, full: func() {}, err: io.ErrClosedPipe}
	s.run(w, nil)
	require.Equal(t, first, w.String(), "parts are sent in pieces, too")
	require.Equal(t, 1, file.closed, "what is not sent is freed")
	require.Zero(t, holders(log))
	require.EqualValues(t, 1, s.acted.Load())
}
