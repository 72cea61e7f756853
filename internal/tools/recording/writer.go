package recording

import (
	"bufio"
	"compress/gzip"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"time"
)

// Writer writes a recording. Several goroutines may use it: the lines have the order in which they
// got the lock, and so have their times. After an error, or when the size is reached, it writes
// nothing more; [Writer.Err] returns the error.
type Writer struct {
	mu      sync.Mutex
	buf     *bufio.Writer
	zip     *gzip.Writer // nil: not compressed
	out     *counter
	max     int64
	elapsed func() time.Duration // since the start
	scripts map[[sha1.Size]byte]bool
	texts   int64 // bytes of scripts
	ended   bool
	full    bool
	err     error
}

// WriterOptions say how a recording is written.
type WriterOptions struct {
	Gzip    bool
	MaxSize int64                // bytes of the file; 0: no limit
	Elapsed func() time.Duration // the time since Header.Started, which must not go back
}

// A text of a script stands in a line of its own until there are so many scripts, or so many bytes
// of them: programs that put values into their scripts make a new one for each call. Later texts
// stand in the requests, so a reader need not keep them.
const (
	maxScripts     = 1 << 14
	maxScriptBytes = maxTexts / 4
)

// counter counts the bytes that are written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// NewWriter writes the header of a recording to w.
func NewWriter(w io.Writer, h Header, o WriterOptions) (*Writer, error) {
	rec := &Writer{
		out:     &counter{w: w},
		max:     o.MaxSize,
		elapsed: o.Elapsed,
		scripts: map[[sha1.Size]byte]bool{},
	}
	rec.buf = bufio.NewWriterSize(rec.out, 64<<10)
	if o.Gzip {
		rec.zip = gzip.NewWriter(rec.out)
		rec.buf = bufio.NewWriterSize(rec.zip, 64<<10)
	}
	h.Version = Version
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	rec.write(append(line, '\n'))
	return rec, rec.Flush()
}

// write writes a line, and remembers the first error. The caller holds mu.
func (w *Writer) write(line []byte) {
	if w.err == nil {
		_, w.err = w.buf.Write(line)
	}
}

// event writes a line with the present time. body is what follows the time.
func (w *Writer) event(body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.eventLocked(body)
}

func (w *Writer) eventLocked(body []byte) {
	if w.ended || w.err != nil {
		return
	}
	if w.max > 0 && w.out.n+int64(w.buf.Buffered()) >= w.max {
		w.full = true
		w.end(MaxSize)
		return
	}
	var head [32]byte
	w.write(strconv.AppendInt(append(head[:0], `{"t":`...), w.elapsed().Microseconds(), 10))
	w.write(body)
}

// start begins the body of a line about a connection.
func start(conn, n int64) []byte {
	b := strconv.AppendInt(append(make([]byte, 0, 128), `,"c":`...), conn, 10)
	if n > 0 {
		b = strconv.AppendInt(append(b, `,"n":`...), n, 10)
	}
	return b
}

func appendString(b []byte, name, text string) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	return appendBytes(b, text)
}

// Open writes that a client has connected.
func (w *Writer) Open(conn int64, addr string) {
	w.event(append(appendString(start(conn, 0), "open", addr), "}\n"...))
}

// Close writes that a connection has ended.
func (w *Writer) Close(conn int64, why string) {
	w.event(append(appendString(start(conn, 0), "close", why), "}\n"...))
}

// Unparsed writes that the rest of a connection is not recorded.
func (w *Writer) Unparsed(conn int64, why string) {
	w.event(append(appendString(start(conn, 0), "unparsed", why), "}\n"...))
}

// Arg is an argument of a request.
type Arg struct {
	Text     string
	Redacted bool // do not write Text
	Script   bool // Text is the text of a script, to be written once
}

// Request writes a request, or with more a piece of it. The first argument of a piece that follows
// continues the last argument before it. n is the number of the request on its connection.
func (w *Writer) Request(conn, n int64, args []Arg, more bool) {
	b := append(start(conn, n), `,"request":[`...)
	for i, a := range args {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case a.Redacted:
			b = append(b, `{"redacted":true}`...)
		case a.Script:
			sum := sha1.Sum([]byte(a.Text))
			if !w.script(sum, a.Text) {
				b = appendBytes(b, a.Text)
				break
			}
			b = append(b, `{"script":"`...)
			b = append(hex.AppendEncode(b, sum[:]), `"}`...)
		default:
			b = appendBytes(b, a.Text)
		}
	}
	w.event(finish(append(b, ']'), more))
}

func finish(b []byte, more bool) []byte {
	if more {
		b = append(b, `,"more":true`...)
	}
	return append(b, "}\n"...)
}

// script writes the text of a script, unless it has been written. It returns false if the request
// must have the text.
func (w *Writer) script(sum [sha1.Size]byte, text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.scripts[sum] || w.ended {
		return true
	}
	size := int64(len(text)) + argSize
	if len(w.scripts) >= maxScripts || w.texts+size > maxScriptBytes {
		return false
	}
	w.scripts[sum] = true
	w.texts += size
	b := append(make([]byte, 0, len(text)+80), `{"script":"`...)
	b = append(hex.AppendEncode(b, sum[:]), `","text":`...)
	w.write(append(appendBytes(b, text), "}\n"...))
	return true
}

// Reply writes a reply, or with more a piece of it. With cut the reply is longer than its pieces.
func (w *Writer) Reply(conn, n int64, raw []byte, more bool, cut *Cut) {
	b := appendBytes(append(start(conn, n), `,"reply":`...), raw)
	if cut != nil {
		b = strconv.AppendInt(append(b, `,"size":`...), cut.Size, 10)
		b = appendString(b, "sha256", cut.SHA256)
	}
	w.event(finish(b, more))
}

// HiddenReply writes that there was a reply, and not what it was.
func (w *Writer) HiddenReply(conn, n int64) {
	w.event(append(start(conn, n), `,"reply":{"redacted":true}}`+"\n"...))
}

// Silent writes that a request has no reply.
func (w *Writer) Silent(conn, n int64) {
	w.event(append(start(conn, n), `,"silent":true}`+"\n"...))
}

// Push writes what the server has sent without a request, or with more a piece of it.
func (w *Writer) Push(conn int64, raw []byte, more bool) {
	w.event(finish(appendBytes(append(start(conn, 0), `,"push":`...), raw), more))
}

// end writes the last line. The caller holds mu.
func (w *Writer) end(why string) {
	w.ended = true
	b := strconv.AppendInt([]byte(`{"t":`), w.elapsed().Microseconds(), 10)
	w.write(append(appendString(b, "end", why), "}\n"...))
}

// Flush writes what is in memory to the file, so that it is there if the process is killed.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.buf.Flush(); w.err == nil {
		w.err = err
	}
	if w.zip != nil && w.err == nil {
		w.err = w.zip.Flush()
	}
	return w.err
}

// Finish writes the last line, unless the file is full, and what is in memory. It returns the first
// error of the writer.
func (w *Writer) Finish(why string) error {
	w.mu.Lock()
	if !w.ended {
		w.end(why)
	}
	w.mu.Unlock()
	err := w.Flush()
	if w.zip != nil && err == nil {
		err = w.zip.Close()
	}
	return err
}

// Err returns the error that has ended the writing, if any.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Full reports whether the recording has ended because of its size.
func (w *Writer) Full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full
}

// Size returns the number of bytes written to the file.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.n
}
