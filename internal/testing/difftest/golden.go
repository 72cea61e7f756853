package difftest

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Recording holds the oracle's answers to one file.
type Recording struct {
	Version string // of the server that gave them
	Hash    string // File.Hash of what it was asked
	plays   map[wrapping]*playback
}

// playback is one pass of the oracle.
type playback struct {
	start time.Time // when it began
	outs  []outcome // by step; those of steps without replies are empty
}

// A golden is text. Its first lines name the server's version and the case file's hash. A line
// "play <wrapping> <ms since the epoch>" begins a pass; every further line is the outcome of one
// step that has replies: quoted raw replies, or
//
//	=       what follows from the plain wrapping's outcome
//	(...)   a shortened reply, see shorten
//	none    there were no replies
//	x N     the line before, N times more

const noReplies = "none"

const maxGoldenReply = 256 // bytes; of a longer reply that must be equal the golden holds a hash

// shorten is the form of a reply in a golden: of one compared by kind its kind, of a long one its
// hash. No reply begins like either.
func shorten(r Relax, raw []byte) []byte {
	switch {
	case r.Kind:
		if n, _, err := parseFrame(raw); err == nil {
			return fmt.Appendf(nil, "(kind %c)", n.mark)
		}
	case len(raw) > maxGoldenReply && !r.Unordered && !r.Names && r.Approx == 0 && !(r.Tables && bytes.ContainsAny(raw, "%~")):
		return fmt.Appendf(nil, "(sha1 %x %d)", sha1.Sum(raw), len(raw))
	}
	return raw
}

// matches compares a reply with the oracle's, which may be shortened.
func matches(r Relax, want, got []byte) bool {
	if bytes.HasPrefix(want, []byte("(kind ")) || bytes.HasPrefix(want, []byte("(sha1 ")) {
		if bytes.HasPrefix(want, []byte("(sha1 ")) {
			r = Relax{}
		}
		return bytes.Equal(want, shorten(r, got))
	}
	return r.Equal(want, got)
}

func (s *Step) shorten(w wrapping, o outcome) outcome {
	short := outcome{replies: make([][]byte, len(o.replies))}
	for i, raw := range o.replies {
		r := w.relax(s.Relax)
		if w == wrapExec && i == len(o.replies)-1 && bytes.HasPrefix(raw, oneElement) {
			short.replies[i] = append(append([]byte(nil), oneElement...), shorten(r, raw[len(oneElement):])...)
			continue
		}
		if w == wrapExec {
			r = Relax{}
		}
		short.replies[i] = shorten(r, raw)
	}
	return short
}

func (o outcome) line() string {
	if len(o.replies) == 0 {
		return noReplies
	}
	quoted := make([]string, len(o.replies))
	for i, raw := range o.replies {
		quoted[i] = strconv.Quote(string(raw))
	}
	return strings.Join(quoted, " ")
}

// derived is the usual outcome of another wrapping if the plain one gave o.
func (o outcome) derived(w wrapping) outcome {
	if w == wrapExec && len(o.replies) == 1 {
		return outcome{replies: [][]byte{[]byte("+OK\r\n"), []byte("+QUEUED\r\n"), append([]byte("*1\r\n"), o.replies[0]...)}}
	}
	return o
}

// Write writes the golden of f.
func (rec *Recording) Write(path string, f *File) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "redis-server %s\nsource %s\n", rec.Version, rec.Hash)
	plain := rec.plays[wrapNone]
	for _, w := range []wrapping{wrapNone, wrapCall, wrapExec} {
		p := rec.plays[w]
		if p == nil {
			continue
		}
		fmt.Fprintf(&b, "play %s %d\n", w, p.start.UnixMilli())
		last, repeats := "", 0
		flush := func() {
			if repeats > 0 {
				fmt.Fprintf(&b, "x %d\n", repeats)
			}
			repeats = 0
		}
		for i := range f.Steps {
			s := &f.Steps[i]
			if !s.answers() {
				continue
			}
			line := s.shorten(w, p.outs[i]).line()
			if w != wrapNone && plain != nil && line == s.shorten(wrapNone, plain.outs[i]).derived(w).line() {
				line = "="
			}
			if line == last {
				repeats++
				continue
			}
			flush()
			fmt.Fprintln(&b, line)
			last = line
		}
		flush()
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// answers reports whether the step has replies.
func (s *Step) answers() bool {
	switch s.kind {
	case stepCommand, stepRaw, stepAwait, stepBlocked, stepPushes:
		return true
	}
	return false
}

// ReadRecording reads the golden of f. It is an error when f has changed since it was recorded.
func ReadRecording(path string, f *File) (*Recording, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rec := &Recording{plays: map[wrapping]*playback{}}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 64<<20)
	var r *goldenReader
	for n := 1; sc.Scan(); n++ {
		if err := rec.readLine(&r, sc.Text(), f); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return rec, sc.Err()
}

// ErrStale says that a case file has changed since its golden was recorded.
var ErrStale = fmt.Errorf("the case file has changed since it was recorded: run make record")

func (rec *Recording) readLine(r **goldenReader, line string, f *File) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "redis-server":
		rec.Version = rest
		return nil
	case "source":
		if rec.Hash = rest; rest != f.Hash {
			return ErrStale
		}
		return nil
	case "play":
		name, ms, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(ms, 10, 64)
		p := &playback{start: time.UnixMilli(n), outs: make([]outcome, len(f.Steps))}
		rec.plays[wrapping(name)] = p
		*r = &goldenReader{file: f, wrap: wrapping(name), play: p, plain: rec.plays[wrapNone]}
		return err
	}
	if *r == nil {
		return fmt.Errorf("outcome before the first play")
	}
	return (*r).outcome(line)
}

// goldenReader reads the outcomes of one play.
type goldenReader struct {
	file  *File
	wrap  wrapping
	play  *playback
	plain *playback
	next  int // step
	last  string
}

func (r *goldenReader) outcome(line string) error {
	times := 1
	if n, ok := strings.CutPrefix(line, "x "); ok {
		var err error
		if times, err = strconv.Atoi(n); err != nil {
			return err
		}
		line = r.last
	}
	r.last = line
	for range times {
		for r.next < len(r.file.Steps) && !r.file.Steps[r.next].answers() {
			r.next++
		}
		if r.next == len(r.file.Steps) {
			return fmt.Errorf("more outcomes than steps")
		}
		if line == "=" {
			r.play.outs[r.next] = r.plain.outs[r.next].derived(r.wrap)
		} else if err := r.parse(line); err != nil {
			return err
		}
		r.next++
	}
	return nil
}

func (r *goldenReader) parse(line string) error {
	var o outcome
	if line == noReplies {
		line = ""
	}
	for line != "" {
		q, err := strconv.QuotedPrefix(line)
		if err != nil {
			return err
		}
		line = strings.TrimPrefix(line[len(q):], " ")
		raw, err := strconv.Unquote(q)
		if err != nil {
			return err
		}
		o.replies = append(o.replies, []byte(raw))
	}
	r.play.outs[r.next] = o
	return nil
}
