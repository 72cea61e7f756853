package datastore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var compressed = DumpOptions{Compress: true}

// randomElement returns a string of one of the kinds that encodings distinguish.
func randomElement(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)
	case 1:
		return strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(90))
	}
	return "e" + strconv.Itoa(r.IntN(5000))
}

// fill puts a random value of at most n elements under key.
func fill(r *rand.Rand, db *DB, key string, n int) {
	switch kind := r.IntN(7); kind {
	case 0:
		db.SetString(key, randomElement(r), false)
	case 1:
		l, _ := db.ListForWrite(key)
		for range n {
			l.PushBack(randomElement(r))
		}
	case 2, 3:
		s, _ := db.SetForWrite(key)
		for range n {
			if kind == 2 {
				s.Add(strconv.Itoa(r.IntN(100000) - 50000))
			} else {
				s.Add(randomElement(r))
			}
		}
	case 4:
		z, _ := db.ZSetForWrite(key)
		for range n {
			z.Set(randomElement(r), math.Round(r.NormFloat64()*1e6)/float64(1+r.IntN(9)))
		}
	case 5:
		h, _ := db.HashForWrite(key)
		for range n {
			h.Set(randomElement(r), randomElement(r))
		}
	case 6:
		x, _ := db.StreamForWrite(key)
		for range n {
			_ = x.Add(StreamID{x.LastID().Ms + 1 + uint64(r.IntN(9)), 0}, []string{"field", randomElement(r)})
		}
	}
}

// randomStore returns a store with keys of all types in several databases; some keys expire.
func randomStore(seed uint64) *Store {
	r := rand.New(rand.NewPCG(seed, 1))
	s := New(Options{Databases: 4, Rand: rand.NewPCG(seed, 2)})
	s.SetNow(1_700_000_000_000_000)
	for i := range 120 {
		db, key := s.DB(r.IntN(4)), fmt.Sprintf("key %d", i)
		fill(r, db, key, 1+r.IntN(700)*r.IntN(2))
		if e := db.Peek(key); r.IntN(3) == 0 {
			db.SetExpire(e, s.Now()+1+int64(r.IntN(1000)))
		}
	}
	return s
}

func TestReloadKeepsTheDigest(t *testing.T) {
	for seed := range uint64(5) {
		s := randomStore(seed)
		want, expires := s.Digest(), s.DB(0).Expires()
		require.NotEqual(t, Digest{}, want)
		dirty := s.Dirty()
		for _, opt := range []DumpOptions{{}, compressed} {
			require.NoError(t, s.Load(s.Save(opt), LoadOptions{Flush: true, Dump: opt}))
			require.Equal(t, want, s.Digest())
			require.NoError(t, s.Check())
		}
		require.Equal(t, expires, s.DB(0).Expires())
		require.Equal(t, dirty, s.Dirty())
		require.ErrorIs(t, s.Load(s.Save(compressed), LoadOptions{}), ErrKeyExists)

		m := s.Begin()
		s.DB(0).SetString("other", "x", false)
		require.NoError(t, s.Load(s.Save(compressed), LoadOptions{Flush: true}))
		s.Rollback(m)
		require.Equal(t, want, s.Digest())
		require.NoError(t, s.Check())
	}
}

func TestExpiredKeysAreNotLoaded(t *testing.T) {
	s := randomStore(7)
	snap := s.Save(compressed)
	s.SetNow(s.NowMicros() + 2_000_000)
	require.NoError(t, s.Load(snap, LoadOptions{Flush: true}))
	for i := range s.Databases() {
		require.Zero(t, s.DB(i).Expires())
	}
	require.NoError(t, s.Check())
}

func TestDigestsOfDifferentValuesDiffer(t *testing.T) {
	s := New(Options{})
	seen := map[Digest]string{}
	note := func(what string) {
		d := s.Digest()
		require.Empty(t, seen[d], what)
		seen[d] = what
		s.FlushAll()
	}
	s.DB(0).SetString("k", "v", false)
	note("a string")
	s.DB(1).SetString("k", "v", false)
	note("in another database")
	s.DB(0).SetExpire(s.DB(0).SetString("k", "v", false), 1)
	note("that expires")
	s.DB(0).SetString("k", "v2", false)
	note("another string")
	s.DB(0).SetString("k2", "v", false)
	note("under another key")
	for _, els := range [][]string{{"a", "b"}, {"b", "a"}} {
		l, _ := s.DB(0).ListForWrite("k")
		l.PushBack(els[0])
		l.PushBack(els[1])
		note(fmt.Sprint("a list ", els))
	}
}

// TestDamagedDumps restores damaged dumps: each is refused, or gives a valid value.
func TestDamagedDumps(t *testing.T) {
	opt := DumpOptions{SkipChecksum: true}
	var dumps []string
	for seed := range uint64(4) {
		s := randomStore(seed)
		for i := range s.Databases() {
			s.DB(i).All(func(e *Entry) bool {
				if e.Object().Len() < 40 {
					dumps = append(dumps, string(Dump(e.Object(), DumpOptions{Compress: seed%2 == 0})))
				}
				return true
			})
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	restored := 0
	s := New(Options{Databases: 1})
	for range 20000 {
		b := []byte(dumps[r.IntN(len(dumps))])
		for range 1 + r.IntN(3) {
			switch at := r.IntN(len(b)); r.IntN(4) {
			case 0:
				b = append(b[:at], b[min(at+1, len(b)):]...)
			case 1:
				b[0] = byte(r.IntN(22))
			default:
				b[at] = byte(r.Uint32())
			}
			if len(b) == 0 {
				b = []byte{0}
			}
		}
		o, err := s.Restore(string(b), opt)
		if err != nil {
			continue
		}
		restored++
		s.DB(0).Put("k", o)
		require.NoError(t, s.Check(), "%q", b)
		again, err := s.Restore(string(Dump(o, compressed)), compressed)
		require.NoError(t, err)
		s.DB(0).Put("again", again)
		require.Equal(t, s.DB(0).DigestValue("k"), s.DB(0).DigestValue("again"), "%q", b)
	}
	require.NotZero(t, restored)
}

func TestFalseSizesAllocateNothing(t *testing.T) {
	s := New(Options{})
	for _, kind := range []byte{rdbList, rdbSet, rdbZSet, rdbZSetText, rdbHash, rdbQuicklist, rdbQuicklist2} {
		for _, size := range []string{
			"\x81\x10\x00\x00\x00\x00\x00\x00\x00",
			"\x80\xff\xff\xff\xff",
			"\x81\xff\xff\xff\xff\xff\xff\xff\xff",
		} {
			payload := string(kind) + size + "\x01a" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
			n := testing.AllocsPerRun(1, func() {
				_, err := s.Restore(payload, DumpOptions{SkipChecksum: true})
				require.ErrorIs(t, err, ErrDumpFormat)
			})
			require.Less(t, n, 500.0)
		}
	}
}
