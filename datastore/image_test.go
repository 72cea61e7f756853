package datastore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// loadFile loads an RDB file into a new store with the limits and the clock of s, and requires that
// it loads.
func loadFile(t *testing.T, s *Store, file []byte) *Store {
	t.Helper()
	limits := *s.limits
	c := New(Options{Databases: len(s.dbs), Limits: &limits})
	c.SetNow(s.NowMicros())
	done, err := c.LoadFile(bytes.NewReader(file), FileLoadOptions{KeepExpired: true, File: FileReaderOptions{Version: 12}})
	require.NoError(t, err)
	require.EqualValues(t, len(file), done.Bytes)
	require.NoError(t, c.Check())
	return c
}

// contents returns the keys of s with their serialized values and expiry times.
func contents(s *Store) map[string]string {
	all := map[string]string{}
	for _, db := range s.dbs {
		db.keys.All(func(p **Entry) bool {
			e := *p
			all[strconv.Itoa(db.id)+" "+e.key] = fmt.Sprint(e.expireAt, string(Dump(e.obj, DumpOptions{Version: 12})))
			return true
		})
	}
	return all
}

// requireSameKeys requires that the keys of two stores are the same, down to the order of fields.
func requireSameKeys(t *testing.T, want, got *Store) {
	t.Helper()
	a, b := contents(want), contents(got)
	for key, v := range a {
		if b[key] != v {
			require.Equal(t, fmt.Sprintf("%q", v), fmt.Sprintf("%q", b[key]), key)
		}
	}
	require.Len(t, b, len(a))
}

// mutator makes random changes of all kinds.
type mutator struct {
	r *rand.Rand
	s *Store
}

func (m *mutator) db() *DB     { return m.s.DB(m.r.IntN(len(m.s.dbs))) }
func (m *mutator) key() string { return fmt.Sprintf("key %d", m.r.IntN(140)) }
func (m *mutator) at() int64   { return m.s.Now() + int64(m.r.IntN(3000)) }

// element changes an element of the value of a key, whatever its type.
func (m *mutator) element() { m.elementOf(m.db(), m.key()) }

func (m *mutator) elementOf(db *DB, key string) {
	e := db.Lookup(key)
	if e == nil {
		fill(m.r, db, key, 1+m.r.IntN(200)*m.r.IntN(2))
		return
	}
	switch e.obj.(type) {
	case *String:
		m.text(db, key)
	case *List:
		m.list(db, key)
	case *Set:
		x, _ := db.SetForWrite(key)
		if m.r.IntN(2) == 0 {
			x.Add(randomElement(m.r))
		} else {
			x.Pop(m.r)
		}
	case *ZSet:
		x, _ := db.ZSetForWrite(key)
		if m.r.IntN(2) == 0 {
			x.Set(randomElement(m.r), float64(m.r.IntN(1000)))
		} else {
			x.Remove(x.At(m.r.IntN(x.Len())).Member)
		}
	case *Hash:
		m.hash(db, key)
	case *Stream:
		m.stream(db, key)
	}
	db.DropIfEmpty(key)
}

func (m *mutator) text(db *DB, key string) {
	x, _ := db.String(key)
	switch m.r.IntN(3) {
	case 0:
		x.Set(m.s, randomElement(m.r))
	case 1:
		x.Append(m.s, randomElement(m.r))
	case 2:
		x.SetRange(m.s, m.r.IntN(20), "changed")
	}
}

func (m *mutator) list(db *DB, key string) {
	x, _ := db.ListForWrite(key)
	switch m.r.IntN(4) {
	case 0:
		x.PushBack(randomElement(m.r))
	case 1:
		x.PushFront(randomElement(m.r))
	case 2:
		x.PopFront()
	case 3:
		x.Set(m.r.IntN(x.Len()), randomElement(m.r))
	}
}

func (m *mutator) hash(db *DB, key string) {
	x, _ := db.HashForWrite(key)
	field, _ := x.Random(m.r)
	switch m.r.IntN(5) {
	case 0:
		x.Set(randomElement(m.r), randomElement(m.r))
	case 1:
		x.Delete(field)
	case 2:
		db.SetFieldUntil(key, x, randomElement(m.r), "timed", m.at())
	case 3:
		db.SetFieldExpire(key, x, field, m.at())
	case 4:
		db.ExpireAllFields(key, x)
	}
}

func (m *mutator) stream(db *DB, key string) {
	x, _ := db.StreamForWrite(key)
	switch m.r.IntN(5) {
	case 0:
		_ = x.Add(StreamID{x.LastID().Ms + 1, 0}, []string{"field", randomElement(m.r)})
	case 1:
		x.Trim(StreamTrim{MaxLen: int64(x.Len() / 2)})
	case 2:
		x.CreateGroup("g"+strconv.Itoa(m.r.IntN(3)), StreamID{}, 0)
	case 3:
		if g := x.Group("g1"); g != nil {
			g.CreateConsumer("c" + strconv.Itoa(m.r.IntN(5)))
		}
	case 4:
		x.Delete([]StreamID{x.LastID()})
	}
}

// key changes a key: its expiry, its name, its existence, its value.
func (m *mutator) whole() {
	db, key := m.db(), m.key()
	e := db.Peek(key)
	switch m.r.IntN(9) {
	case 0:
		db.Delete(key)
	case 1, 2:
		if e != nil {
			db.SetExpire(e, m.at()*int64(m.r.IntN(2)))
		}
	case 3:
		to, other := m.db(), m.key()
		if e != nil && to.Peek(other) == nil {
			db.Move(e, to, other)
		}
	case 4:
		if e != nil {
			db.Replace(e, NewString(randomElement(m.r)))
		}
	case 5:
		db.SetString(key, randomElement(m.r), m.r.IntN(2) == 0)
	case 6:
		if e != nil {
			m.db().Put(m.key(), Clone(e.obj))
		}
	case 7:
		db.Expand(e0(e))
	case 8:
		m.s.Evict(EvictionPolicy{Rank: EvictionRank(m.r.IntN(4)), Samples: 5})
	}
}

// e0 is e, or an entry of no key.
func e0(e *Entry) *Entry {
	if e == nil {
		return &Entry{obj: NewString("")}
	}
	return e
}

// rare makes a change of a whole database or store.
func (m *mutator) rare() {
	switch m.r.IntN(6) {
	case 0:
		m.db().Flush()
	case 1, 2:
		m.s.SwapDB(m.r.IntN(len(m.s.dbs)), m.r.IntN(len(m.s.dbs)))
	case 3:
		_ = m.s.Load(m.s.Save(DumpOptions{Version: 12}), LoadOptions{Flush: true, Dump: DumpOptions{Version: 12}})
	case 4:
		for range 100 {
			m.whole()
		}
	case 5:
		m.s.FlushAll()
	}
}

// change makes one change.
func (m *mutator) change() {
	switch n := m.r.IntN(200); {
	case n == 0:
		m.rare()
	case n < 60:
		m.whole()
	default:
		m.element()
	}
}

// command makes a change as a command, a script that is undone, or a script that runs twice.
func (m *mutator) command() {
	s := m.s
	s.SetNow(s.NowMicros() + int64(m.r.IntN(20_000)))
	switch m.r.IntN(20) {
	case 0, 1, 2:
		mark := s.Begin()
		for range m.r.IntN(10) {
			m.change()
		}
		if m.r.IntN(4) == 0 {
			s.Commit()
		} else {
			s.Rollback(mark)
		}
	case 3:
		again := s.BeginRerun(func(*Change) {})
		for range 1 + m.r.IntN(2) {
			for range m.r.IntN(8) {
				m.element()
			}
			again.Undo()
		}
		m.element()
		again.End()
	case 4:
		s.ExpireCycle(5)
	case 5:
		if s.DB(0).Len() < 20 {
			for range 30 {
				m.element()
			}
		}
	default:
		m.change()
	}
	s.UpdateUsed()
}

// TestImageIsTheForkOfItsBeginning changes the keyspace in all ways while an image is written in
// tiny steps. What is written must be the keyspace of its beginning.
func TestImageIsTheForkOfItsBeginning(t *testing.T) {
	for seed := range uint64(12) {
		s := randomStore(seed)
		m := &mutator{rand.New(rand.NewPCG(seed, 3)), s}
		if seed%3 == 0 {
			s.Used() // begins to count
		}
		if seed%5 == 0 { // a value that takes several steps
			for range 2 {
				x, _ := s.DB(0).ListForWrite(m.key())
				for i := 0; x != nil && i < 3000; i++ {
					x.PushBack(fmt.Sprint("element ", i, " of a long list, which is more than sixty-four thousand bytes"))
				}
			}
			s.UpdateUsed()
		}
		for range 2 {
			fork := s.Fork(rand.NewPCG(1, 1))
			var out bytes.Buffer
			opt := FileOptions{Dump: DumpOptions{Version: 12, Compress: seed%2 == 0}}
			img, err := s.BeginImage(&out, opt)
			require.NoError(t, err)
			for done := false; !done; {
				done, err = img.Step(1, nil)
				require.NoError(t, err)
				for range m.r.IntN(12) {
					m.command()
				}
				if m.r.IntN(50) == 0 {
					require.NoError(t, s.Check())
				}
			}
			written, total := img.Keys()
			require.Equal(t, total, written)
			var whole bytes.Buffer
			require.NoError(t, fork.WriteFile(&whole, opt))
			want := loadFile(t, fork, whole.Bytes())
			require.Equal(t, fork.Digest(), want.Digest())
			requireSameKeys(t, want, loadFile(t, s, out.Bytes()))
			require.NoError(t, s.Check())
			require.Nil(t, s.image)
		}
	}
}

// failing is a writer that returns an error after some bytes.
type failing struct{ left int }

var errDisk = errors.New("no space")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestImageEndsWithItsWriter(t *testing.T) {
	for seed := range uint64(20) {
		s := randomStore(seed)
		m := &mutator{rand.New(rand.NewPCG(seed, 3)), s}
		img, err := s.BeginImage(&failing{m.r.IntN(1 << 17)}, FileOptions{})
		require.NoError(t, err)
		_, err = s.BeginImage(&failing{}, FileOptions{})
		require.ErrorIs(t, err, ErrImageActive)
		for done := false; !done && err != errDisk; {
			done, err = img.Step(1, nil)
			m.command()
		}
		if err == errDisk {
			_, err = img.Step(0, nil)
			require.Equal(t, errDisk, err)
		}
		require.NoError(t, s.Check())
		img, err = s.BeginImage(&failing{1 << 30}, FileOptions{})
		require.NoError(t, err)
		_, err = img.Step(1, nil)
		require.NoError(t, err)
		img.Close()
		m.command()
		_, err = img.Step(1, nil)
		require.ErrorIs(t, err, ErrImageClosed)
		require.False(t, s.watching)
		for _, db := range s.dbs {
			require.Nil(t, db.keys.image)
		}
	}
}

func TestImageOfARecordingStoreIsRefused(t *testing.T) {
	s := randomStore(1)
	m := s.Begin()
	_, err := s.BeginImage(&failing{}, FileOptions{})
	require.ErrorIs(t, err, ErrRecording)
	s.Rollback(m)
}

// large puts values of all types that take several steps under the keys 0 to 6.
func large(s *Store) {
	const n = 6000
	text := func(i int) string { return fmt.Sprint("text ", i, " of a large value") }
	db := s.DB(1)
	db.SetString("0", string(bytes.Repeat([]byte("0123456789abcde"), 20_000)), false)
	l, _ := db.ListForWrite("1")
	set, _ := db.SetForWrite("2")
	z, _ := db.ZSetForWrite("3")
	h, _ := db.HashForWrite("4")
	x, _ := db.StreamForWrite("5")
	timed, _ := db.HashForWrite("6")
	for i := range n {
		l.PushBack(text(i))
		set.Add(text(i))
		z.Set(text(i), float64(i%77))
		h.Set(text(i), text(i))
		_ = x.Add(StreamID{uint64(i + 1), 0}, []string{text(i), text(i)})
		db.SetFieldUntil("6", timed, text(i), text(i), s.Now()+int64(i%3)*1000)
	}
	s.UpdateUsed()
}

// TestImageOfLargeValues changes a value while it is half written, and other keys too.
func TestImageOfLargeValues(t *testing.T) {
	for seed := range uint64(tier.Amount(6, 20)) {
		s := randomStore(seed)
		large(s)
		m := &mutator{rand.New(rand.NewPCG(seed, 4)), s}
		fork := s.Fork(rand.NewPCG(1, 1))
		var out bytes.Buffer
		opt := FileOptions{Dump: DumpOptions{Version: 12, Compress: seed%2 == 0}}
		img, err := s.BeginImage(&out, opt)
		require.NoError(t, err)
		changed := 0
		for done := false; !done; {
			done, err = img.Step(1, nil)
			require.NoError(t, err)
			if img.part == nil || m.r.IntN(3) > 0 {
				continue
			}
			for range m.r.IntN(3) {
				m.element()
			}
			for _, db := range s.dbs {
				if part := img.part; part != nil && db.Raw(part.key) == part && m.r.IntN(2) == 0 {
					m.elementOf(db, part.key)
					require.Nil(t, img.part)
					changed++
				}
			}
		}
		require.NotZero(t, changed)
		var whole bytes.Buffer
		require.NoError(t, fork.WriteFile(&whole, opt))
		requireSameKeys(t, loadFile(t, fork, whole.Bytes()), loadFile(t, s, out.Bytes()))
		require.NoError(t, s.Check())
	}
}

func TestImageIsClosedInALargeValue(t *testing.T) {
	s := New(Options{})
	large(s)
	img, err := s.BeginImage(io.Discard, FileOptions{})
	require.NoError(t, err)
	for img.part == nil {
		_, err = img.Step(1, nil)
		require.NoError(t, err)
	}
	s.DB(0).SetString("other", "x", false)
	img.Close()
	img.Close()
	_, err = img.Step(1, nil)
	require.ErrorIs(t, err, ErrImageClosed)
	require.False(t, s.watching)
}
