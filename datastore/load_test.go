package datastore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore/internal/rdb"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// fileOf returns an RDB file of version 10 with the given parts and, behind its end, a checksum.
func fileOf(parts ...string) []byte {
	b := []byte("REDIS0010" + strings.Join(parts, "") + "\xff")
	return binary.LittleEndian.AppendUint64(b, rdb.Checksum(0, b))
}

const (
	inDB0    = "\xfe\x00"
	keyA     = "\x00\x01a\x011" // the string a
	moduleID = "\x81\x12\x34\x56\x78\x90\xab\xcd\xef"
)

// expiring is a time in ms after which the next key expires.
func expiring(ms int64) string {
	return string(binary.LittleEndian.AppendUint64([]byte{opExpireMs}, uint64(ms)))
}

// TestFileErrors are damaged files that redis-server 7.0.15 refuses, with the words of its log.
func TestFileErrors(t *testing.T) {
	ok := string(fileOf(inDB0, keyA))
	for _, c := range []struct {
		file string
		err  error
		text string
	}{
		{"", ErrFileShort, "Short read or OOM loading DB. Unrecoverable error, aborting now. (offset 0)"},
		{"REDIX0010" + ok[9:], ErrFileSignature, "Wrong signature trying to load DB from file (offset 0)"},
		{"REDIS0011" + ok[9:], ErrFileVersion, "Can't handle RDB format version 11 (offset 5)"},
		{"REDIS0000" + ok[9:], ErrFileVersion, "Can't handle RDB format version 0 (offset 5)"},
		{"REDIS-007" + ok[9:], ErrFileVersion, "Can't handle RDB format version -7 (offset 5)"},
		{"REDISxxxx" + ok[9:], ErrFileVersion, "Can't handle RDB format version 0 (offset 5)"},
		{ok[:14], ErrFileShort, "Short read or OOM loading DB. Unrecoverable error, aborting now. (offset 14, key \"a\" in DB 0)"},
		{ok[:16], ErrFileShort, "Short read or OOM loading DB. Unrecoverable error, aborting now. (offset 16)"},
		{ok[:17] + "12345678", ErrFileChecksum, "RDB CRC error expected: (37d17b7c0abb32d1) but got (3837363534333231) (offset 16)"},
		{string(fileOf(inDB0, "\x1e\x01k\x01v")), ErrFileKind, "Unknown RDB encoding type 30 (offset 11)"},
		{string(fileOf(inDB0, "\x14\x01k\x01v")), ErrFileKind, "Unknown RDB encoding type 20 (offset 11)"},
		{string(fileOf(inDB0, "\xf4\x01\x01\x01")), ErrFileKind, "Unknown RDB encoding type 244 (offset 11)"},
		{string(fileOf(inDB0, keyA, keyA)), ErrFileDuplicate, "RDB has duplicated key \"a\" in DB 0 (offset 16, key \"a\" in DB 0)"},
		{string(fileOf("\xfe\x40\x63", keyA)), ErrFileDatabase, "Data file was created with a Redis server configured to handle " +
			"more databases than 16 (offset 9)"},
		{string(fileOf(inDB0, "\x07\x01k", moduleID, "\x00")), ErrFileModule, "The RDB file contains module data I can't load: " +
			"no matching module type 'EjRWeJCrz' (offset 14, key \"k\" in DB 0)"},
		{string(fileOf(inDB0, "\x06\x01k", moduleID, "\x00")), ErrFileModule, "The RDB file contains module data I can't load: " +
			"no matching module type 'EjRWeJCrz' (offset 14, key \"k\" in DB 0)"},
		{string(fileOf(inDB0, "\x02\x01k\x02\x01a\x01a")), ErrFileFormat, "Invalid value in RDB file (offset 14, key \"k\" in DB 0)"},
		{string(fileOf(inDB0, "\x04\x01k\x82")), ErrFileFormat, "Invalid value in RDB file (offset 14, key \"k\" in DB 0)"},
		{string(fileOf(inDB0, "\x00\x01k\xc3\x02\x40\x64\x00\x61")), ErrFileFormat, "Invalid value in RDB file (offset 14, key \"k\" in DB 0)"},
		{string(fileOf(moduleAux, inDB0, keyA)), ErrFileModuleAux,
			"The RDB file contains AUX module data I can't load: no matching module 'EjRWeJCrz' (offset 9)"},
	} {
		_, err := New(Options{}).LoadFile(strings.NewReader(c.file), FileLoadOptions{})
		require.ErrorIs(t, err, c.err)
		require.EqualError(t, err, c.text)
	}
}

// moduleAux is what a module may write before the keys.
const moduleAux = "\xf7" + moduleID + "\x02\x01" + "\x01\x05" + "\x02\x81\x00\x00\x00\x00\x00\x00\x00\x01" +
	"\x03....\x04........\x05\x02ab\x00"

// Whoever only looks at a value finds the damage that loading it finds.
func TestDamageIsTheSameForAllReaders(t *testing.T) {
	oneNode := "\x0f\x01s\x01\x10" + strings.Repeat("\x00", 7) + "\x01" + strings.Repeat("\x00", 8)
	for name, value := range map[string]string{
		"set: a member twice":                 "\x02\x01k\x02\x01a\x01a",
		"hash: a field twice":                 "\x04\x01k\x02\x01a\x011\x01a\x012",
		"hash listpack: a field twice":        "\x10\x01k\x13\x13\x00\x00\x00\x04\x00\x81a\x02\x81b\x02\x81a\x02\x81c\x02\xff",
		"hash listpack: a field alone":        "\x10\x01k\x0a\x0a\x00\x00\x00\x01\x00\x81a\x02\xff",
		"zipmap: a wrong number of pairs":     "\x09\x01k\x07\xff\x01a\x01\x00b\xff",
		"zset: not a number":                  "\x05\x01k\x01\x01a" + "\x00\x00\x00\x00\x00\x00\xf8\x7f",
		"zset: a member twice":                "\x05\x01k\x02\x01a" + strings.Repeat("\x00", 8) + "\x01a" + strings.Repeat("\x00", 8),
		"stream: a node that is none":         oneNode + "\x06xxxxxx" + "\x01\x01\x00\x00",
		"stream: a group twice":               "\x0f\x01s\x00\x00\x00\x00\x02\x01g\x00\x00\x00\x00\x01g\x00\x00\x00\x00",
		"stream: a length without entries":    "\x0f\x01s\x00\x81" + strings.Repeat("\xff", 8) + "\x01\x01\x00",
		"string: compressed wrongly":          "\x00\x01k\xc3\x02\x05\x00\x61",
		"list: a ziplist that is none":        "\x0a\x01k\x03abc",
		"intset: a length that is none":       "\x0b\x01k\x08\x02\x00\x00\x00\x05\x00\x00\x00",
		"quicklist: a container of no kind":   "\x12\x01k\x01\x07\x01a",
		"expired: a field twice":              expiring(1) + "\x04\x01k\x02\x01a\x011\x01a\x012",
		"a kind that does not exist":          "\x63\x01k\x01a",
		"not chosen by a filter: a set twice": "\x02\x01other\x02\x01a\x01a",
	} {
		file := fileOf(inDB0, value)
		s := New(Options{})
		s.SetNow(1_700_000_000_000_000)
		_, loaded := s.LoadFile(bytes.NewReader(file), FileLoadOptions{Filter: func(_ int, key string) bool { return key != "other" }})
		require.Error(t, loaded, name)
		for _, each := range []bool{false, true} {
			_, err := walkAll(file, FileReaderOptions{}, each)
			require.EqualError(t, err, loaded.Error(), "%s, elements %v", name, each)
		}
	}
}

// What is said about a key holds until the key comes, also if something else stands between, as in
// the dumps of KeyDB.
func TestOpcodesBetweenAKeyAndItsTime(t *testing.T) {
	const at = 4102444800000
	for name, between := range map[string]string{
		"nothing": "", "an auxiliary field": "\xfa\x08x-tstamp\x011", "the size": "\xfb\x01\x01", "the database": inDB0,
		"two": "\xfa\x01a\x01b\xfb\x01\x01", "a function": "\xf5\x04text",
	} {
		s := New(Options{})
		s.SetNow(1_700_000_000_000_000)
		o := FileLoadOptions{Idle: true, Function: func(string) error { return nil }}
		_, err := s.LoadFile(bytes.NewReader(fileOf(inDB0, "\xf8\x40\x64", expiring(at), between, keyA, "\x00\x01b\x011")), o)
		require.NoError(t, err, name)
		a, b := s.DB(0).Raw("a"), s.DB(0).Raw("b")
		require.EqualValues(t, at, a.ExpireAt(), name)
		require.EqualValues(t, 100_000, a.Idle(s.Now()), name)
		require.Zero(t, b.ExpireAt(), name)
		require.Zero(t, b.Idle(s.Now()), name)
	}
}

// TestFileOpcodes loads what may stand between keys.
func TestFileOpcodes(t *testing.T) {
	now := int64(1_700_000_000_000)
	load := func(o FileLoadOptions, parts ...string) (*Store, FileLoaded) {
		t.Helper()
		s := New(Options{})
		s.SetNow(now * 1000)
		done, err := s.LoadFile(bytes.NewReader(fileOf(parts...)), o)
		require.NoError(t, err)
		require.NoError(t, s.Check())
		require.Zero(t, s.Dirty())
		return s, done
	}
	s, _ := load(FileLoadOptions{}, inDB0, "\xfd\x00\x94\x35\x77", keyA)
	require.EqualValues(t, 2_000_000_000_000, s.DB(0).Peek("a").ExpireAt())
	s, _ = load(FileLoadOptions{}, inDB0, expiring(now+1), keyA, "\x00\x01b\x011")
	require.EqualValues(t, now+1, s.DB(0).Peek("a").ExpireAt())
	require.Zero(t, s.DB(0).Peek("b").ExpireAt(), "the time is that of one key")

	s, done := load(FileLoadOptions{}, inDB0, expiring(now-1), keyA, "\x00\x01b\x011")
	require.Nil(t, s.DB(0).Raw("a"))
	require.Equal(t, FileLoaded{Version: 10, Bytes: done.Bytes, Keys: 1, Expired: 1}, done)
	s, done = load(FileLoadOptions{KeepExpired: true}, inDB0, expiring(now-1), keyA)
	require.NotNil(t, s.DB(0).Raw("a"))
	require.Equal(t, 1, done.Keys)

	s, _ = load(FileLoadOptions{Idle: true}, inDB0, "\xf8\x40\x64", keyA)
	require.EqualValues(t, 100_000, s.DB(0).Raw("a").Idle(now))
	s, _ = load(FileLoadOptions{}, inDB0, "\xf8\x40\x64", keyA)
	require.Zero(t, s.DB(0).Raw("a").Idle(now))
	s, _ = load(FileLoadOptions{Freq: true}, inDB0, "\xf9\x64", keyA)
	require.EqualValues(t, 100, s.Freq(s.DB(0).Raw("a")))

	var functions, aux []string
	o := FileLoadOptions{
		Function: func(text string) error { functions = append(functions, text); return nil },
		Aux:      func(name, value string) error { aux = append(aux, name+"="+value); return nil },
	}
	s, _ = load(o, "\xfa\x02zz\x01y", "\xf5\x04text", inDB0, "\xfb\x05\x01", keyA, "\xfa\x01q\xc0\x05",
		"\xf6\x03lib\x03lua\x01\x04what\x04code", "\xfe\x03", "\x00\x01x\x01y", inDB0, "\x00\x01y\x01y")
	require.Equal(t, []string{"zz=y", "q=5"}, aux)
	require.Equal(t, []string{"text", "#!lua name=lib\ncode"}, functions)
	require.Equal(t, []int{2, 1}, []int{s.DB(0).Len(), s.DB(3).Len()})

	for _, empty := range []string{"\x01\x01k\x00", "\x02\x01k\x00", "\x05\x01k\x00", "\x04\x01k\x00", "\x12\x01k\x00",
		"\x10\x01k\x07\x07\x00\x00\x00\x00\x00\xff", "\x11\x01k\x07\x07\x00\x00\x00\x00\x00\xff"} {
		_, done = load(FileLoadOptions{}, inDB0, empty, keyA)
		require.Equal(t, [2]int{1, 1}, [2]int{done.Keys, done.Empty}, "%q", empty)
	}
	s = New(Options{})
	slots := strings.Replace(string(fileOf("\xf4\x05\x02\x01", inDB0, keyA)), "REDIS0010", "REDIS0012", 1)
	_, err := s.LoadFile(strings.NewReader(slots), FileLoadOptions{File: FileReaderOptions{Version: 12, SkipChecksum: true}})
	require.NoError(t, err)
	require.NotNil(t, s.DB(0).Raw("a"))
}

func TestFileFilterReplaceAndProgress(t *testing.T) {
	s := randomStore(3)
	var file bytes.Buffer
	require.NoError(t, s.WriteFile(&file, FileOptions{}))
	c := New(Options{Databases: 4})
	c.SetNow(s.NowMicros())
	calls := 0
	o := FileLoadOptions{
		Filter:   func(db int, key string) bool { return db == 2 && strings.HasSuffix(key, "3") },
		Progress: func(int64) error { calls++; return nil },
	}
	done, err := c.LoadFile(bytes.NewReader(file.Bytes()), o)
	require.NoError(t, err)
	require.Zero(t, c.DB(0).Len())
	require.Equal(t, done.Keys, c.DB(2).Len())
	require.NotZero(t, done.Keys)
	require.NotZero(t, calls)
	_, err = c.LoadFile(bytes.NewReader(file.Bytes()), FileLoadOptions{})
	require.ErrorIs(t, err, ErrFileDuplicate)
	_, err = c.LoadFile(bytes.NewReader(file.Bytes()), FileLoadOptions{Replace: true})
	require.NoError(t, err)
	require.Equal(t, s.Digest(), c.Digest())
	require.NoError(t, c.Check())

	stop := errors.New("stop")
	_, err = New(Options{}).LoadFile(bytes.NewReader(file.Bytes()), FileLoadOptions{Progress: func(int64) error { return stop }})
	require.Equal(t, stop, err)
	c.Begin()
	_, err = c.LoadFile(bytes.NewReader(file.Bytes()), FileLoadOptions{})
	require.ErrorIs(t, err, ErrRecording)
}

// TestFileInPieces reads a file from sources that return few bytes at a time, or fail.
func TestFileInPieces(t *testing.T) {
	s := randomStore(4)
	long := strings.Repeat("0123456789abcdef", 300_000)
	s.DB(1).SetString("long", long, false)
	l, _ := s.DB(1).ListForWrite("long list")
	l.PushBack(long[:200_000])
	var file bytes.Buffer
	require.NoError(t, s.WriteFile(&file, FileOptions{}))
	load := func(src io.Reader) (*Store, error) {
		c := New(Options{Databases: 4})
		c.SetNow(s.NowMicros())
		_, err := c.LoadFile(src, FileLoadOptions{})
		return c, err
	}
	for _, src := range []io.Reader{
		bytes.NewReader(file.Bytes()), iotest.OneByteReader(bytes.NewReader(file.Bytes())),
		iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(file.Bytes()))),
	} {
		c, err := load(src)
		require.NoError(t, err)
		require.Equal(t, s.Digest(), c.Digest())
	}
	broken := errors.New("broken")
	for _, n := range []int64{0, 5, 100, 70_000, 3_000_000, int64(file.Len()) - 1} {
		_, err := load(io.MultiReader(io.LimitReader(bytes.NewReader(file.Bytes()), n), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken)
		_, err = load(io.LimitReader(bytes.NewReader(file.Bytes()), n))
		require.ErrorIs(t, err, ErrFileShort)
	}
	_, err := New(Options{Databases: 4}).LoadFile(bytes.NewReader(file.Bytes()), FileLoadOptions{File: FileReaderOptions{MaxText: 1 << 20}})
	require.ErrorIs(t, err, ErrFileFormat)
}

// sampleFile is a small file with values of all kinds.
func sampleFile(t testing.TB) []byte {
	s := New(Options{Databases: 4, Rand: rand.NewPCG(1, 2)})
	s.SetNow(1_700_000_000_000_000)
	r := rand.New(rand.NewPCG(11, 1))
	for i := range 40 {
		fill(r, s.DB(i%2), "k"+string(rune('A'+i)), 1+r.IntN(8))
	}
	for i := range 600 { // in the large encodings
		h, _ := s.DB(0).HashForWrite("hash")
		h.Set(FormatInt(int64(i)), "x")
	}
	x, err := s.DB(0).StreamForWrite("stream")
	require.NoError(t, err)
	require.NoError(t, x.Add(StreamID{1, 1}, []string{"a", "b"}))
	x.CreateGroup("group", StreamID{}, 0).CreateConsumer("consumer")
	s.DB(0).SetExpire(s.DB(0).SetString("expires", "x", false), s.Now()+1000)
	var b bytes.Buffer
	o := FileOptions{Dump: compressed, Aux: []Aux{{"redis-ver", "7.0.15"}}, Functions: []string{"#!lua name=x\n"}}
	require.NoError(t, s.WriteFile(&b, o))
	return b.Bytes()
}

// loadDamaged loads a damaged file. It must give a valid keyspace or an error.
func loadDamaged(t testing.TB, file []byte, o FileLoadOptions) (*Store, error) {
	s := New(Options{Databases: 4})
	s.SetNow(1_700_000_000_000_000)
	_, err := s.LoadFile(bytes.NewReader(file), o)
	var at *FileError
	if err != nil && (!errors.As(err, &at) || at.Offset < 0 || at.Offset > int64(len(file))) {
		t.Fatalf("%v", err)
	}
	require.NoError(t, s.Check())
	return s, err
}

// walkAll reads all elements of a file, and returns how many there are.
func walkAll(file []byte, o FileReaderOptions, each bool) (n int64, err error) {
	f := NewFileReader(bytes.NewReader(file), o)
	for {
		it, err := f.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return n, err
		}
		if it.Kind != FileKey {
			continue
		}
		var info ValueInfo
		if each {
			info, err = f.Elements(func(Element) bool { return true })
		} else {
			info, err = f.Describe()
		}
		if err != nil {
			return n, err
		}
		n += info.Elements
	}
}

func TestDamagedFiles(t *testing.T) {
	file := sampleFile(t)
	whole, err := loadDamaged(t, file, FileLoadOptions{})
	require.NoError(t, err)
	want := whole.Digest()
	for n := range file {
		_, err := loadDamaged(t, file[:n], FileLoadOptions{})
		require.ErrorIs(t, err, ErrFileShort, "%d bytes", n)
	}
	r := rand.New(rand.NewPCG(2, 3))
	unchecked := FileLoadOptions{File: FileReaderOptions{SkipChecksum: true, Version: 12}}
	loads := 0
	for i := range file {
		mask := byte(1 + r.IntN(255))
		if i%5 != 0 && !tier.IsLanding() {
			continue
		}
		damaged := bytes.Clone(file)
		damaged[i] ^= mask
		if s, err := loadDamaged(t, damaged, FileLoadOptions{}); err == nil {
			require.Equal(t, want, s.Digest(), "byte %d", i)
		}
		if _, err = loadDamaged(t, damaged, unchecked); err == nil {
			loads++
		}
		_, _ = walkAll(damaged, unchecked.File, true)
		_, _ = walkAll(damaged, unchecked.File, false)
	}
	require.NotZero(t, loads)
}

func TestElementsAreThoseOfTheValues(t *testing.T) {
	for seed := range uint64(10) {
		s := randomStore(seed)
		var b bytes.Buffer
		require.NoError(t, s.WriteFile(&b, FileOptions{Dump: DumpOptions{Compress: seed%2 == 0}}))
		f := NewFileReader(bytes.NewReader(b.Bytes()), FileReaderOptions{})
		keys := 0
		for {
			it, err := f.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if it.Kind != FileKey {
				continue
			}
			keys++
			o := s.DB(it.DB).Raw(it.Key).Object()
			require.Equal(t, o.Type(), it.ValueKind.Type())
			var got []Element
			info, err := f.Elements(func(el Element) bool { got = append(got, el); return true })
			require.NoError(t, err)
			require.EqualValues(t, o.Len(), info.Elements, "%v", info)
			require.EqualValues(t, DumpSize(o, DumpOptions{Compress: seed%2 == 0}), info.Size)
			requireElements(t, o, got)
		}
		sum := 0
		for _, db := range s.dbs {
			sum += db.Len()
		}
		require.Equal(t, sum, keys)
		a, err := walkAll(b.Bytes(), FileReaderOptions{}, true)
		require.NoError(t, err)
		c, err := walkAll(b.Bytes(), FileReaderOptions{}, false)
		require.NoError(t, err)
		require.Equal(t, a, c)
	}
}

func requireElements(t *testing.T, o Object, got []Element) {
	t.Helper()
	var want []Element
	switch o := o.(type) {
	case *String:
		want = []Element{{Text: o.Text()}}
	case *List:
		o.Ascend(0, func(_ int, el string) bool { want = append(want, Element{Text: el}); return true })
	case *Set:
		o.All(func(m string) bool { want = append(want, Element{Text: m}); return true })
	case *ZSet:
		o.Ascend(0, o.Len(), func(it ZItem) bool { want = append(want, Element{Text: it.Member, Score: it.Score}); return true })
		require.ElementsMatch(t, want, got)
		return
	case *Hash:
		o.All(func(f, v string) bool { want = append(want, Element{Text: f, Value: v}); return true })
	case *Stream:
		o.Range(StreamID{}, MaxStreamID, func(e *StreamEntry) bool {
			want = append(want, Element{ID: e.ID, Pairs: e.AppendPairs(nil)})
			return true
		})
	}
	require.Equal(t, want, got)
}

// TestHostileLengthsTakeNoMemory loads files whose lengths promise far more than there is.
func TestHostileLengthsTakeNoMemory(t *testing.T) {
	for kind := range 26 {
		for _, size := range []string{"\x81\x00\x00\x00\x00\xff\xff\xff\xff", "\x80\xff\xff\xff\xff", "\x80\x7f\xff\xff\xff",
			"\x81\x7f\xff\xff\xff\xff\xff\xff\xff", "\xc3\x05\x80\x7f\xff\xff\xff\x00aa\xe0\xff", "\x01\x80\xff\xff\xff\xff"} {
			file := "REDIS0012" + inDB0 + string(rune(kind)) + "\x01k" + size + strings.Repeat("\x01a", 100)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := New(Options{}).LoadFile(strings.NewReader(file), FileLoadOptions{File: FileReaderOptions{Version: 12}})
			runtime.ReadMemStats(&after)
			require.Error(t, err)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "kind %d, %q", kind, size)
		}
	}
}

func FuzzLoadFile(f *testing.F) {
	file := sampleFile(f)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add(fileOf(inDB0, keyA))
	for _, kind := range []byte{rdbHashTimes, rdbHashListpackTimes, rdbStream3, rdbSetListpack, rdbModule2, rdbZSetText} {
		f.Add([]byte("REDIS0012" + inDB0 + string(rune(kind)) + "\x01k\x01\x01a\x01b\x01c"))
	}
	o := FileLoadOptions{File: FileReaderOptions{SkipChecksum: true, Version: 12, MaxText: 1 << 24}}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := loadDamaged(t, b, o)
		_, _ = walkAll(b, o.File, true)
		_, described := walkAll(b, o.File, false)
		if err != nil {
			return
		}
		if described != nil {
			t.Fatalf("it loads, but cannot be described: %v", described)
		}
		var again bytes.Buffer
		require.NoError(t, s.WriteFile(&again, FileOptions{Dump: DumpOptions{Version: 12}}))
		c, err := loadDamaged(t, again.Bytes(), FileLoadOptions{File: FileReaderOptions{Version: 12}, KeepExpired: true})
		require.NoError(t, err)
		require.Equal(t, s.Digest(), c.Digest())
	})
}
