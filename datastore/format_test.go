package datastore

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore/internal/rdb"
)

// The answers are those of redis-server and valkey-server of these versions of the format.
func TestVersionsAreReadByTheirServers(t *testing.T) {
	for _, c := range []struct {
		own     int
		relaxed bool
		read    []int
		refused []int
	}{
		{10, false, []int{0, 1, 10}, []int{11, 12, 80}},
		{11, false, []int{0, 10, 11}, []int{12, 79, 80}},
		{11, true, []int{0, 11, 80, 81, 65535}, []int{12, 79}},
		{13, false, []int{0, 12, 13}, []int{14, 80}},
		{80, false, []int{1, 10, 11, 80}, []int{0, 12, 13, 79, 81}},
		{80, true, []int{1, 12, 79, 80, 81, 65535}, []int{0}},
		{AnyVersion, false, []int{1, 10, 12, 13, 80}, []int{14, 79, 81}},
	} {
		opt := DumpOptions{Version: c.own, Relaxed: c.relaxed}
		for _, version := range c.read {
			_, err := New(Options{}).Restore(sealed("\x00\x05hello", version), opt)
			require.NoError(t, err, "%d of %d", version, c.own)
		}
		for _, version := range c.refused {
			_, err := New(Options{}).Restore(sealed("\x00\x05hello", version), opt)
			require.ErrorIs(t, err, ErrDumpFooter, "%d of %d", version, c.own)
		}
	}
}

// sealed is a dump of some version.
func sealed(body string, version int) string {
	var w rdb.Writer
	w.Raw([]byte(body))
	return string(w.Seal(version))
}

func TestFilesBeginAsTheirServersWriteThem(t *testing.T) {
	const key = "\xfe\x00\x00\x01k\x01v"
	for _, c := range []struct {
		head string
		opt  FileReaderOptions
		want string // what the error contains; "" if the file is read
	}{
		{"REDIS0010", FileReaderOptions{}, ""},
		{"REDIS0011", FileReaderOptions{}, "Can't handle RDB format version 11"},
		{"VALKEY080", FileReaderOptions{Version: 13}, "Wrong signature trying to load DB from file ("},
		{"VALKEY080", FileReaderOptions{Version: 11, Valkey: true}, "Can't handle RDB format version 80"},
		{"VALKEY080", FileReaderOptions{Version: 11, Valkey: true, Relaxed: true}, ""},
		{"VALKEY011", FileReaderOptions{Version: 11, Valkey: true}, ""},
		{"REDIS1011", FileReaderOptions{Version: 11, Valkey: true}, "Wrong signature trying to load DB from file ("},
		{"REDIS0080", FileReaderOptions{Version: 80}, "Can't handle RDB format version 80"},
		{"VALKEY011", FileReaderOptions{Version: 80}, "Can't handle RDB format version 11"},
		{"REDIS0012", FileReaderOptions{Version: 80}, "Can't handle RDB format version 12"},
		{"REDIS0012", FileReaderOptions{Version: 80, Relaxed: true}, ""},
		{"VALKEY081", FileReaderOptions{Version: 80, Relaxed: true}, ""},
		{"VALKEY080", FileReaderOptions{Version: 80}, ""},
		{"REDIS0011", FileReaderOptions{Version: 80}, ""},
		{"REDISabcd", FileReaderOptions{Version: 80}, "Wrong signature trying to load DB from file: REDISabcd ("},
		{"REDIS0013", FileReaderOptions{Version: AnyVersion}, ""},
		{"VALKEY080", FileReaderOptions{Version: AnyVersion}, ""},
		{"VALKEY081", FileReaderOptions{Version: AnyVersion}, "Can't handle RDB format version 81"},
	} {
		_, err := New(Options{}).LoadFile(strings.NewReader(c.head+key+"\xff"+strings.Repeat("\x00", 8)), FileLoadOptions{File: c.opt})
		if c.want == "" {
			require.NoError(t, err, "%s %+v", c.head, c.opt)
		} else {
			require.ErrorContains(t, err, c.want, "%s %+v", c.head, c.opt)
		}
	}
}

func TestKindsAreKnownByVersion(t *testing.T) {
	const times = "\x18\x01k\x18\x9cr\x4e\x18\x09\x00\x00\x01\x01\x01f\x01v"
	for _, c := range []struct {
		head, body string
		own        int
		relaxed    bool
		want       error
	}{
		{"REDIS0009", "\x14\x01k\x09\x09\x00\x00\x00\x01\x00\x81a\x02\xff", 10, false, ErrFileKind},
		{"REDIS0009", "\x14\x01k\x0a\x0a\x00\x00\x00\x01\x00\x81a\x02\xff", 12, false, nil},
		{"REDIS0011", times, 12, false, nil},
		{"REDIS0011", times, 11, false, ErrFileKind},
		{"REDIS0011", times, 80, false, ErrFileForeign},
		{"VALKEY080", times, 80, false, ErrFileKind},
		{"VALKEY080", times, 80, true, ErrFileUnknown},
		{"REDIS0011", "\xf4\x01\x01\x00\x00\x01k\x01v", 12, false, nil},
		{"REDIS0011", "\xf4\x01\x01\x00\x00\x01k\x01v", 11, false, ErrFileKind},
		{"REDIS0011", "\xf4\x01\x01\x00\x00\x01k\x01v", 80, false, nil},
		{"REDIS0013", "\xf3\x00\x00\x01k\x01v", 13, false, nil},
		{"REDIS0012", "\xf3\x00\x00\x01k\x01v", 12, false, ErrFileKind},
		{"REDIS0012", "\xf3\x01abcd\x02\x07\x00\x00\x01k\x01v", 13, false, nil},
		{"VALKEY080", "\x96\x01k\x00", 80, false, ErrFileKind},
	} {
		file := c.head + "\xfe\x00" + c.body + "\xff" + strings.Repeat("\x00", 8)
		_, err := New(Options{}).LoadFile(strings.NewReader(file),
			FileLoadOptions{KeepExpired: true, File: FileReaderOptions{Version: c.own, Relaxed: c.relaxed}})
		if !errors.Is(err, c.want) {
			t.Errorf("%s %q by %d: %v", c.head, c.body, c.own, err)
		}
	}
}

// valkeyStore is a store with the encodings of Valkey 9.0, at time 1000.
func valkeyStore() *Store {
	limits := DefaultLimits()
	limits.LargeTimedHashes, limits.ShortScores = true, true
	s := New(Options{Limits: limits})
	s.SetNow(1_000_000)
	return s
}

func TestTimedHashesOfValkey(t *testing.T) {
	s := valkeyStore()
	db, opt := s.DB(0), DumpOptions{Version: 80}
	h, _ := db.HashForWrite("k")
	h.Set("a", "1")
	h.Set("b", "2")
	mark := s.Begin()
	db.SetFieldExpire("k", h, "a", 5000)
	require.Equal(t, "hashtable", h.Encoding())
	s.Rollback(mark)
	require.Equal(t, "listpack", h.Encoding())
	require.NoError(t, s.Check())
	db.SetFieldExpire("k", h, "a", 5000)
	dump := Dump(h, opt)
	require.Equal(t, "\x16\x02\x01a\xc0\x01\x88\x13\x00\x00\x00\x00\x00\x00\x01b\xc0\x02\xff\xff\xff\xff\xff\xff\xff\xff",
		string(dump[:len(dump)-rdb.FooterSize]))
	o, err := s.Restore(string(dump), opt)
	require.NoError(t, err)
	require.Equal(t, dump, Dump(o, opt))
	db.Put("copy", o)
	require.NoError(t, s.Check())

	_, err = s.Restore(sealed(string(dump[:len(dump)-rdb.FooterSize]), 12), DumpOptions{Version: 80, Relaxed: true})
	require.ErrorIs(t, err, ErrDumpForeign)
	for _, body := range []string{
		"\x16\x01\x01a\x01v\xfe\xff\xff\xff\xff\xff\xff\xff", // a time before the epoch
		"\x16\x02\x01a\x01v\xff\xff\xff\xff\xff\xff\xff\xff\x01a\x01v\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x16\x00", "\x16\x02\x01a\x01v\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		_, err := s.Restore(sealed(body, 80), opt)
		require.ErrorIs(t, err, ErrDumpFormat, "%q", body)
	}

	db.SetFieldExpire("k", h, "a", 0)
	dump = Dump(h, opt)
	require.Equal(t, "\x04\x02\x01a\xc0\x01\x01b\xc0\x02", string(dump[:len(dump)-rdb.FooterSize]))
}

func TestFilesOfValkeyLeaveExpiredFieldsOut(t *testing.T) {
	s := valkeyStore()
	db := s.DB(0)
	for _, key := range []string{"some", "all"} {
		h, _ := db.HashForWrite(key)
		db.SetFieldUntil(key, h, "past", "v", 2000)
		if key == "some" {
			db.SetFieldUntil(key, h, "later", "v", 90_000)
		}
	}
	var file bytes.Buffer
	require.NoError(t, s.WriteFile(&file, FileOptions{Dump: DumpOptions{Version: 80}}))
	require.True(t, strings.HasPrefix(file.String(), "VALKEY080"))
	for _, keep := range []bool{false, true} {
		c := valkeyStore()
		c.SetNow(3_000_000)
		done, err := c.LoadFile(bytes.NewReader(file.Bytes()), FileLoadOptions{KeepExpired: keep, File: FileReaderOptions{Version: 80}})
		require.NoError(t, err)
		require.NoError(t, c.Check())
		h, _ := c.DB(0).Hash("some")
		if keep {
			require.Equal(t, []int{2, 0, 2}, []int{done.Keys, done.Timed, h.Len()})
		} else {
			require.Equal(t, []int{1, 1, 1}, []int{done.Keys, done.Timed, h.Len()})
		}
	}
}

// The lines are those of valkey-server 9.1 and redis-server 8.6.
func TestCommandsOfLaterServers(t *testing.T) {
	for _, valkey := range []bool{true, false} {
		s := valkeyStore()
		s.limits.LargeTimedHashes = valkey
		db := s.DB(0)
		h, _ := db.HashForWrite("h")
		h.Set("a", "1")
		h.Set("b", "2")
		db.SetFieldExpire("h", h, "b", 5000)
		z, _ := db.ZSetForWrite("z")
		z.Set("x", 0.1)
		z.Set("y", 1e17)
		z, _ = db.ZSetForWrite("zz")
		z.Set(strings.Repeat("y", 65), 1e17)
		var file bytes.Buffer
		require.NoError(t, s.WriteFile(&file, FileOptions{Commands: true}))
		var lines []string
		for _, line := range strings.Split(strings.TrimSuffix(file.String(), "\r\n"), "\r\n") {
			switch line[0] {
			case '*':
				lines = append(lines, "")
			case '$':
			default:
				lines[len(lines)-1] = strings.TrimSpace(lines[len(lines)-1] + " " + line)
			}
		}
		want := []string{
			"SELECT 0", "HMSET h b 2", "HPEXPIREAT h 5000 FIELDS 1 b", "HMSET h a 1",
			"ZADD z 0.1 x 100000000000000000 y", "ZADD zz 1e+17 " + strings.Repeat("y", 65),
		}
		if valkey {
			want[1], want[2] = "HSETEX h PXAT 5000 FIELDS 1 b 2", "HMSET h a 1"
			want = append(want[:3], want[4:]...)
		}
		require.Equal(t, want, lines)
	}
}

// The dumps are as those of redis-server 8.6: without producers, and with two.
func TestStreamsOfRedis86(t *testing.T) {
	s := New(Options{})
	x, _ := s.DB(0).StreamForWrite("k")
	require.NoError(t, x.Add(StreamID{1, 1}, []string{"a", "1"}))
	opt := DumpOptions{Version: 13}
	dump := string(Dump(x, opt))
	const none = "\x40d\x40d\x00\x00\x00"
	body := dump[:len(dump)-rdb.FooterSize]
	require.True(t, strings.HasPrefix(body, "\x1a") && strings.HasSuffix(body, none), "%q", body)
	producers := "\x40d\x40d\x02\x02p1\x01\x02i2\x01\x01\x02p2\x01\x02i1\x01\x01\x02\x00"
	for _, end := range []string{none, producers} {
		o, err := s.Restore(sealed(strings.TrimSuffix(body, none)+end, 13), opt)
		require.NoError(t, err)
		require.Equal(t, string(sealed(strings.TrimSuffix(body, none)+end, 13)), string(Dump(o, opt)))
	}
	for _, version := range []int{12, 80} {
		_, err := s.Restore(sealed(body, 11), DumpOptions{Version: version})
		require.ErrorIs(t, err, ErrDumpFormat)
	}
}

func TestEveryVersionIsReadAgain(t *testing.T) {
	for _, version := range []int{11, 12, 13, 80} {
		s := randomStore(uint64(version))
		for _, reader := range []int{version, AnyVersion} {
			var file bytes.Buffer
			require.NoError(t, s.WriteFile(&file, FileOptions{Dump: DumpOptions{Version: version}}))
			c := New(Options{Databases: 4})
			c.SetNow(s.NowMicros())
			_, err := c.LoadFile(&file, FileLoadOptions{File: FileReaderOptions{Version: reader}})
			require.NoError(t, err, "%d by %d", version, reader)
			require.Equal(t, s.Digest(), c.Digest())
		}
	}
}
