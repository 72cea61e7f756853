package recording

import (
	"bufio"
	"compress/gzip"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Reader reads a recording. It keeps the pieces of requests and replies that are not complete, at
// most [MaxPending] bytes, and the texts of the scripts, at most 256 MiB.
type Reader struct {
	Header Header

	src     *bufio.Reader
	close   func() error
	line    int64
	at      int64 // time of the last line, in us
	conns   map[int64]*conn
	scripts map[string]string // by SHA1
	texts   int64             // bytes of scripts
	pending int64             // bytes of pieces
	ended   bool              // the line of the end has been read
	err     error             // of an earlier Next
}

// conn is what is known of an open connection.
type conn struct {
	asked, answered int64 // numbers of the last request and of the last reply
	unparsed        bool
	request         request
	reply, push     pieces
}

// request collects the pieces of a request.
type request struct {
	more     bool            // a further piece must come
	args     []string        // without the last, if joined is set
	joined   bool            // last is the last argument
	last     strings.Builder // made of pieces
	redacted []int
	size     int64 // bytes of the arguments
	held     int64 // bytes counted in Reader.pending
}

// endLast ends the argument in last.
func (q *request) endLast() {
	if q.joined {
		q.args = append(q.args, q.last.String())
		q.last, q.joined = strings.Builder{}, false
	}
}

// pieces collects the pieces of a reply or push.
type pieces struct {
	more bool
	seq  int64
	at   time.Duration
	text strings.Builder
}

// OpenFile opens a recording. The caller must Close the reader.
func OpenFile(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.close = f.Close
	return r, nil
}

// NewReader reads the header of a recording, which may be compressed with gzip. It returns an error
// if src is not a recording, or one of a later version.
func NewReader(src io.Reader) (*Reader, error) {
	r := &Reader{src: bufio.NewReaderSize(src, 64<<10), close: func() error { return nil },
		conns: map[int64]*conn{}, scripts: map[string]string{}}
	if magic, err := r.src.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		zip, err := gzip.NewReader(r.src)
		if err != nil {
			return nil, err
		}
		r.src = bufio.NewReaderSize(zip, 64<<10)
	}
	b, err := r.readLine()
	if err == nil {
		err = json.Unmarshal(b, &r.Header)
	}
	if err != nil || r.Header.Version == 0 {
		return nil, errors.New(
			"the file is not a recording: its first line is not the header of one",
		)
	}
	if r.Header.Version < 0 || r.Header.Version > Version {
		return nil, fmt.Errorf(
			"the recording has version %d of the format; this program reads up to %d",
			r.Header.Version,
			Version,
		)
	}
	return r, nil
}

// Close closes the file that OpenFile has opened.
func (r *Reader) Close() error { return r.close() }

// Ended reports whether the last line has been read that a recorder writes. If it is missing at the
// end of the file, the recorder was killed or still runs.
func (r *Reader) Ended() bool { return r.ended }

// Script returns the text of a script by its SHA1, if its line has been read.
func (r *Reader) Script(sha1 string) (text string, ok bool) {
	text, ok = r.scripts[strings.ToLower(sha1)]
	return text, ok
}

// Next returns the next event. It returns io.EOF at the end, an error that wraps [ErrTorn] if the
// file ends within a line, and a [*DamageError] for a line that no recorder writes. After an error
// it returns the same error again.
func (r *Reader) Next() (Event, error) {
	for r.err == nil {
		var ev Event
		if ev, r.err = r.next(); r.err == nil && ev.Kind != 0 {
			return ev, nil
		}
	}
	return Event{}, r.err
}

// next reads one line. The event has no kind if the line gives none.
func (r *Reader) next() (Event, error) {
	b, err := r.readLine()
	if err != nil {
		return Event{}, err
	}
	if r.ended {
		return Event{}, r.damage("it stands behind the end")
	}
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return Event{}, r.damage("%v", err)
	}
	if l.Script != "" {
		if l.Text == nil || l.Text.script != "" || l.Text.redacted {
			return Event{}, r.damage("the script has no text")
		}
		return Event{}, r.script(strings.ToLower(l.Script), l.Text.text)
	}
	if l.T < 0 || l.T > maxTime {
		return Event{}, r.damage("the time is not between 0 and %d", int64(maxTime))
	}
	r.at = max(r.at, l.T)
	ev := Event{Seq: r.line, At: time.Duration(r.at) * time.Microsecond, Conn: l.C, N: l.N}
	if l.End != nil {
		r.ended = true
		ev.Kind, ev.Why = End, *l.End
		return ev, nil
	}
	return r.ofConnection(ev, &l)
}

// script keeps the text of a script.
func (r *Reader) script(sha1, text string) error {
	if sum := sha1Of(text); sha1 != sum {
		return r.damage("the text of script %.40q has the SHA1 %s", sha1, sum)
	}
	if _, known := r.scripts[sha1]; known {
		return nil
	}
	if r.texts += int64(len(text)) + argSize; r.texts > maxTexts {
		return r.damage("the scripts have more than %d bytes", maxTexts)
	}
	r.scripts[sha1] = text
	return nil
}

func sha1Of(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// maxTime is the greatest time of an event, in us: a hundred years.
const maxTime = 100 * 366 * 86400 * 1_000_000

// line is what a line may have.
type line struct {
	T        int64   `json:"t"`
	C        int64   `json:"c"`
	N        int64   `json:"n"`
	Open     *string `json:"open"`
	Request  []value `json:"request"`
	Reply    *value  `json:"reply"`
	Silent   bool    `json:"silent"`
	Push     *value  `json:"push"`
	Unparsed *string `json:"unparsed"`
	Close    *string `json:"close"`
	End      *string `json:"end"`
	More     bool    `json:"more"`
	Size     int64   `json:"size"`
	SHA256   string  `json:"sha256"`
	Script   string  `json:"script"`
	Text     *value  `json:"text"`
}

func (r *Reader) damage(format string, args ...any) error {
	return &DamageError{Line: r.line, Reason: fmt.Sprintf(format, args...)}
}

// readLine returns the next line without its end. It is valid until the next call.
func (r *Reader) readLine() ([]byte, error) {
	r.line++
	b, err := r.src.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return r.cut(b, err)
	}
	long := append([]byte(nil), b...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(long) > maxLine {
			return nil, r.damage("it is longer than %d bytes", maxLine)
		}
		b, err = r.src.ReadSlice('\n')
		long = append(long, b...)
	}
	return r.cut(long, err)
}

// cut returns a line that was read with err, without its end.
func (r *Reader) cut(b []byte, err error) ([]byte, error) {
	switch {
	case err == nil:
		return b[:len(b)-1], nil
	case errors.Is(err, io.EOF) && len(b) == 0:
		return nil, io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // the second is that of gzip
		return nil, fmt.Errorf("%w %d", ErrTorn, r.line)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), isCorrupt(err):
		return nil, r.damage("%v", err)
	}
	return nil, err
}
