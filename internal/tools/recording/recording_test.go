package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ticks is a clock that goes on by a millisecond each time.
func ticks() func() time.Duration {
	var now time.Duration
	return func() time.Duration {
		now += time.Millisecond
		return now
	}
}

func newWriter(t testing.TB, out io.Writer, o WriterOptions) *Writer {
	o.Elapsed = ticks()
	w, err := NewWriter(
		out,
		Header{Started: time.Unix(1700000000, 0).UTC(), Target: "127.0.0.1:6379", Server: "7.0.15"},
		o,
	)
	require.NoError(t, err)
	return w
}

func args(words ...string) (list []Arg) {
	for _, w := range words {
		list = append(list, Arg{Text: w})
	}
	return list
}

// session writes a recording that has a line of each kind.
func session(w *Writer) {
	w.Open(1, "127.0.0.1:5000")
	w.Request(1, 1, args("SET", "k", "a \"text\"\r\n\x01 ü"), false)
	w.Reply(1, 1, []byte("+OK\r\n"), false, nil)
	w.Open(2, "/tmp/sock")
	w.Request(2, 1, []Arg{{Text: "AUTH"}, {Text: "secret", Redacted: true}}, false)
	w.Request(1, 2, []Arg{{Text: "EVAL"}, {Text: "return 1", Script: true}, {Text: "0"}}, false)
	w.Request(1, 3, args("SET", "big", "one,"), true)
	w.Request(1, 3, args("two,"), true)
	w.Request(1, 3, args("three", "EX"), true)
	w.Request(1, 3, args("", "100"), false)
	w.HiddenReply(2, 1)
	w.Reply(1, 2, []byte(":1\r"), true, nil)
	w.Push(2, []byte(">2\r\n+a"), true)
	w.Reply(1, 2, []byte("\n"), false, nil)
	w.Push(2, []byte("\r\n+b\r\n"), false)
	w.Request(1, 4, []Arg{{Text: "EVAL"}, {Text: "return 1", Script: true}, {Text: "0"}}, false)
	w.Silent(1, 3)
	w.Reply(1, 4, []byte("$5\r\n\xff\xfe"), true, nil)
	w.Reply(1, 4, nil, false, &Cut{Size: 11, SHA256: "ab"})
	w.Unparsed(2, "SYNC")
	w.Close(2, ByClient)
}

func read(t testing.TB, file []byte) (events []Event, r *Reader, err error) {
	r, err = NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	for {
		ev, err := r.Next()
		if err != nil {
			return events, r, err
		}
		events = append(events, ev)
	}
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func TestRoundTrip(t *testing.T) {
	for _, zip := range []bool{false, true} {
		var file bytes.Buffer
		w := newWriter(t, &file, WriterOptions{Gzip: zip})
		session(w)
		require.NoError(t, w.Finish(Interrupted))
		require.EqualValues(t, file.Len(), w.Size())
		events, r, err := read(t, file.Bytes())
		require.ErrorIs(t, err, io.EOF)
		require.True(t, r.Ended())
		require.Equal(t, "7.0.15", r.Header.Server)
		require.Equal(t, time.Unix(1700000000, 0).UTC(), r.Header.Started)
		require.Equal(t, []Event{
			{Kind: Open, Seq: 2, At: ms(1), Conn: 1, Addr: "127.0.0.1:5000"},
			{
				Kind: Request,
				Seq:  3,
				At:   ms(2),
				Conn: 1,
				N:    1,
				Args: []string{"SET", "k", "a \"text\"\r\n\x01 ü"},
			},
			{Kind: Reply, Seq: 4, At: ms(3), Conn: 1, N: 1, Raw: "+OK\r\n"},
			{Kind: Open, Seq: 5, At: ms(4), Conn: 2, Addr: "/tmp/sock"},
			{
				Kind:     Request,
				Seq:      6,
				At:       ms(5),
				Conn:     2,
				N:        1,
				Args:     []string{"AUTH", Redacted},
				Redacted: []int{1},
			},
			{
				Kind: Request,
				Seq:  8,
				At:   ms(6),
				Conn: 1,
				N:    2,
				Args: []string{"EVAL", "return 1", "0"},
			}, // line 7 is the script
			{
				Kind: Request,
				Seq:  12,
				At:   ms(10),
				Conn: 1,
				N:    3,
				Args: []string{"SET", "big", "one,two,three", "EX", "100"},
			},
			{Kind: Reply, Seq: 13, At: ms(11), Conn: 2, N: 1, Hidden: true},
			{Kind: ReplyBegins, Seq: 14, At: ms(12), Conn: 1, N: 2},
			{Kind: Reply, Seq: 14, At: ms(12), Conn: 1, N: 2, Raw: ":1\r\n"},
			{Kind: Push, Seq: 15, At: ms(13), Conn: 2, Raw: ">2\r\n+a\r\n+b\r\n"},
			{
				Kind: Request,
				Seq:  18,
				At:   ms(16),
				Conn: 1,
				N:    4,
				Args: []string{"EVAL", "return 1", "0"},
			},
			{Kind: Silent, Seq: 19, At: ms(17), Conn: 1, N: 3},
			{Kind: ReplyBegins, Seq: 20, At: ms(18), Conn: 1, N: 4},
			{
				Kind: Reply,
				Seq:  20,
				At:   ms(18),
				Conn: 1,
				N:    4,
				Raw:  "$5\r\n\xff\xfe",
				Cut:  &Cut{Size: 11, SHA256: "ab"},
			},
			{Kind: Unparsed, Seq: 22, At: ms(20), Conn: 2, Why: "SYNC"},
			{Kind: Close, Seq: 23, At: ms(21), Conn: 2, Why: ByClient},
			{Kind: End, Seq: 24, At: ms(22), Why: Interrupted},
		}, events)
		text, ok := r.Script("E0E1F9FABFC9D4800C877A703B823AC0578FF8DB")
		require.True(t, ok)
		require.Equal(t, "return 1", text)
		require.NotContains(t, file.String(), "secret")
	}
}

// Every byte survives, in arguments and replies, however they are cut into pieces.
func TestBytesSurvive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		all := make([]byte, random.IntN(300))
		for i := range all {
			all[i] = byte(random.IntN(256) >> (random.IntN(2) * random.IntN(8)))
		}
		var file bytes.Buffer
		w := newWriter(t, &file, WriterOptions{})
		w.Open(1, "a")
		cut := func(write func(piece []byte, more bool)) {
			for rest := all; ; {
				n := random.IntN(len(rest) + 1)
				write(rest[:n], n < len(rest))
				if rest = rest[n:]; len(rest) == 0 {
					return
				}
			}
		}
		cut(func(piece []byte, more bool) { w.Request(1, 1, args(string(piece)), more) })
		cut(func(piece []byte, more bool) { w.Reply(1, 1, piece, more, nil) })
		cut(func(piece []byte, more bool) { w.Push(1, piece, more) })
		require.NoError(t, w.Finish(""))
		events, _, err := read(t, file.Bytes())
		require.ErrorIs(t, err, io.EOF)
		seen := 0
		for _, ev := range events {
			switch ev.Kind {
			case Request:
				require.Equal(t, []string{string(all)}, ev.Args)
				seen++
			case Reply, Push:
				require.Equal(t, string(all), ev.Raw)
				seen++
			}
		}
		require.Equal(t, 3, seen)
	}
}

// A file that is cut at any byte gives the lines before, and is reported as torn.
func TestTornFiles(t *testing.T) {
	var file bytes.Buffer
	w := newWriter(t, &file, WriterOptions{})
	session(w)
	require.NoError(t, w.Finish(Interrupted))
	all, _, _ := read(t, file.Bytes())
	head := bytes.IndexByte(file.Bytes(), '\n') + 1
	for n := head; n < file.Len(); n++ {
		events, r, err := read(t, file.Bytes()[:n])
		require.True(
			t,
			slices.EqualFunc(
				all[:len(events)],
				events,
				func(a, b Event) bool { return reflect.DeepEqual(a, b) },
			),
		)
		require.False(t, r.Ended())
		if file.Bytes()[n-1] == '\n' {
			require.ErrorIs(t, err, io.EOF)
		} else {
			require.ErrorIs(t, err, ErrTorn)
		}
		_, again := r.Next()
		require.Equal(t, err, again)
	}
	_, err := NewReader(bytes.NewReader(file.Bytes()[:head-1]))
	require.ErrorContains(t, err, "not a recording")
}

// What has been flushed can be read, also from a compressed file whose end is missing.
func TestFlushedLinesCanBeRead(t *testing.T) {
	for _, zip := range []bool{false, true} {
		var file bytes.Buffer
		w := newWriter(t, &file, WriterOptions{Gzip: zip})
		w.Open(1, "a")
		w.Request(1, 1, args("PING"), false)
		require.NoError(t, w.Flush())
		flushed := bytes.Clone(file.Bytes())
		w.Reply(1, 1, []byte("+PONG\r\n"), false, nil)
		events, _, err := read(t, flushed)
		require.Len(t, events, 2)
		require.True(t, errors.Is(err, io.EOF) || errors.Is(err, ErrTorn), err)
	}
}

func TestDamage(t *testing.T) {
	const (
		header  = `{"redmoon_recording":1,"started":"2026-01-02T03:04:05Z"}` + "\n"
		open    = `{"t":1,"c":1,"open":"a"}` + "\n"
		request = `{"t":2,"c":1,"n":1,"request":["PING"]}` + "\n"
	)
	for _, c := range [][2]string{
		{"x\n", "line 2: invalid character"},
		{"[]\n", "line 2: json: cannot unmarshal array"},
		{"{}\n", "line 2: connection 0 is not open"},
		{request, "line 2: connection 1 is not open"},
		{`{"t":1,"c":0,"open":"a"}` + "\n", "line 2: connection 0 cannot be opened"},
		{open + open, "line 3: connection 1 cannot be opened"},
		{open + `{"t":1,"c":1}` + "\n", "line 3: it has none of open, request"},
		{`{"t":-1,"c":1,"open":"a"}` + "\n", "line 2: the time is not between 0 and"},
		{open + request + request, "line 4: request 1 of connection 1 follows request 1"},
		{open + `{"c":1,"n":1,"request":[]}` + "\n", "line 3: the request has no arguments"},
		{open + `{"c":1,"n":1,"request":[3]}` + "\n",
			"line 3: it must be a string, or an object with one of b64, script and redacted"},
		{open + `{"c":1,"n":1,"request":[{"b64":"!"}]}` + "\n", "line 3: illegal base64 data"},
		{open + `{"c":1,"n":1,"request":[{"b64":"","redacted":true}]}` + "\n",
			"line 3: it must be a string"},
		{open + `{"c":1,"n":1,"request":[{"script":"ab"}]}` + "\n",
			`line 3: there is no script "ab" before it`},
		{open + `{"c":1,"n":1,"reply":"+OK"}` + "\n",
			"line 3: reply 1 of connection 1 follows reply 0; there are 0 requests"},
		{open + request + `{"c":1,"n":2,"silent":true}` + "\n",
			"line 4: reply 2 of connection 1 follows reply 0; there are 1 requests"},
		{open + request + `{"c":1,"n":1,"reply":"+O","more":true}` + "\n" +
			`{"c":1,"n":1,"silent":true}` + "\n",
			"line 5: reply 1 of connection 1 has begun"},
		{open + request + `{"c":1,"n":1,"reply":"+O","more":true}` + "\n" +
			`{"c":1,"n":1,"reply":{"redacted":true}}` + "\n",
			"line 5: it has the form of an argument"},
		{open + request + `{"c":1,"n":1,"reply":{"script":"ab"}}` + "\n",
			"line 4: it has the form of an argument"},
		{open + request + `{"c":1,"n":1,"reply":"+OK","size":1,"sha256":"a"}` + "\n",
			"line 4: reply 1 of connection 1 is longer than its size"},
		{open + `{"c":1,"unparsed":"x"}` + "\n" + request,
			"line 4: connection 1 is not recorded any more"},
		{`{"t":1,"end":""}` + "\n" + open, "line 3: it stands behind the end"},
		{`{"script":"ab","text":"return 1"}` + "\n",
			`line 2: the text of script "ab" has the SHA1 e0e1f9fabfc9d4800c877a703b823ac0578ff8db`},
		{`{"script":"ab"}` + "\n", "line 2: the script has no text"},
		{`{"t":1,"c":1,"open":"` + strings.Repeat("x", maxLine+100_000) + `"}` + "\n",
			"line 2: it is longer than 4194304 bytes"},
	} {
		lines, want := c[0], c[1]
		_, _, err := read(t, []byte(header+lines))
		var damage *DamageError
		require.ErrorAs(t, err, &damage, lines)
		require.ErrorContains(t, err, "the recording is damaged: "+want)
	}
}

func TestOtherFilesAreNoRecordings(t *testing.T) {
	for file, want := range map[string]string{
		"":                               "not a recording",
		"REDIS0010":                      "not a recording",
		"{}\n":                           "not a recording",
		`{"redmoon_recording":2}` + "\n": "the recording has version 2 of the format; this program reads up to 1",
	} {
		_, err := NewReader(strings.NewReader(file))
		require.ErrorContains(t, err, want)
	}
}

// A script is written once; a request that repeats a long one many times is refused, since it would
// need memory for each.
func TestScriptsAreWrittenOnce(t *testing.T) {
	var file bytes.Buffer
	w := newWriter(t, &file, WriterOptions{})
	w.Open(1, "a")
	text := "return " + strings.Repeat("1", 1000)
	for n := range int64(3) {
		w.Request(1, n+1, []Arg{{Text: "EVAL"}, {Text: text, Script: true}, {Text: "0"}}, false)
	}
	require.NoError(t, w.Finish(""))
	require.Equal(t, 1, strings.Count(file.String(), text))

	long := strings.Repeat("-", 1<<20)
	sha := sha1Of(long)
	lines := `{"redmoon_recording":1,"started":"2026-01-02T03:04:05Z"}` + "\n" +
		`{"t":1,"c":1,"open":"a"}` + "\n" +
		`{"script":"` + sha + `","text":"` + long + `"}` + "\n" +
		`{"c":1,"n":1,"request":["x"` + strings.Repeat(`,{"script":"`+sha+`"}`, 2000) + "]}\n"
	_, _, err := read(t, []byte(lines))
	require.ErrorContains(t, err, "line 4: the request has more than 1073741824 bytes")
}

func TestTheSizeOfAFileIsLimited(t *testing.T) {
	var file bytes.Buffer
	w := newWriter(t, &file, WriterOptions{MaxSize: 1000})
	w.Open(1, "a")
	for n := range int64(100) {
		w.Request(1, n+1, args("SET", "key", "value"), false)
	}
	require.True(t, w.Full())
	require.NoError(t, w.Finish(Interrupted))
	require.Less(t, file.Len(), 1100)
	events, r, err := read(t, file.Bytes())
	require.ErrorIs(t, err, io.EOF)
	require.True(t, r.Ended())
	require.Equal(t, MaxSize, events[len(events)-1].Why)
}

// brokenFile is a file on a full disk.
type brokenFile struct{ room int }

func (b *brokenFile) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestAWriterKeepsItsFirstError(t *testing.T) {
	w := newWriter(t, &brokenFile{room: 200}, WriterOptions{})
	session(w)
	require.EqualError(t, w.Flush(), "no space left")
	require.EqualError(t, w.Err(), "no space left")
	require.EqualError(t, w.Finish(""), "no space left")
}

func FuzzReader(f *testing.F) {
	var file bytes.Buffer
	w := newWriter(f, &file, WriterOptions{})
	session(w)
	if err := w.Finish(Interrupted); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(
		[]byte(
			`{"redmoon_recording":1}` + "\n" + `{"t":1,"c":1,"open":"a"}` + "\n" +
				`{"c":1,"n":1,"request":["a","b"],"more":true}` + "\n",
		),
	)
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		type state struct{ asked, answered int64 }
		open := map[int64]*state{}
		for {
			ev, err := r.Next()
			if err != nil {
				return
			}
			c := open[ev.Conn]
			switch ev.Kind {
			case Open:
				require.Nil(t, c)
				open[ev.Conn] = &state{}
			case End:
			case Close:
				require.NotNil(t, c)
				delete(open, ev.Conn)
			case Request:
				require.NotEmpty(t, ev.Args)
				c.asked++
				require.Equal(t, c.asked, ev.N)
			case Reply, Silent:
				c.answered++
				require.Equal(t, c.answered, ev.N)
				require.LessOrEqual(t, ev.N, c.asked)
			default:
				require.NotNil(t, c)
			}
		}
	})
}

// Programs that put values into their scripts make many of them. A reader must take the file.
func TestManyScripts(t *testing.T) {
	var file bytes.Buffer
	w := newWriter(t, &file, WriterOptions{})
	w.Open(1, "a")
	const n = maxScripts + 3
	for i := range int64(n) {
		text := fmt.Sprintf("return %d", i)
		w.Request(1, i+1, []Arg{{Text: "EVAL"}, {Text: text, Script: true}, {Text: "0"}}, false)
	}
	require.NoError(t, w.Finish(""))
	require.Equal(t, maxScripts, strings.Count(file.String(), `"text":`))
	require.Contains(t, file.String(), fmt.Sprintf(`"n":%d,"request":["EVAL","return %d","0"]`, n, n-1))
	events, _, err := read(t, file.Bytes())
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, events, n+2)

	file.Reset()
	w = newWriter(t, &file, WriterOptions{})
	w.texts = maxScriptBytes - 100
	w.Open(1, "a")
	w.Request(1, 1, []Arg{{Text: "EVAL"}, {Text: strings.Repeat("-", 100), Script: true}, {Text: "0"}}, false)
	require.NoError(t, w.Finish(""))
	require.NotContains(t, file.String(), `"text":`)
}
