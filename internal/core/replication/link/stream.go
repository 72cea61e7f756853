package link

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/parts"
)

// receive reads the copy s and hands it to the host. It returns s with its size, or as marked.
func (a *attempt) receive(s Sync) (Sync, error) {
	a.change(Receiving)
	size, mark, err := a.in.copySize()
	if err == nil && mark == "" && size == -1 { // the size is not known yet
		a.o.Log.Info("MASTER <-> REPLICA sync: receiving -1 bytes from master to disk")
		size, mark, err = a.in.copySize()
	}
	if err != nil {
		return s, err
	}
	s.Size, s.Marked = size, mark != ""
	var r io.Reader = &sized{a.in, size}
	if s.Marked {
		r = &marked{in: a.in, mark: mark}
	}
	if err := a.o.Host.Load(s, &quieted{r, a.Link}); err != nil {
		return s, err
	}
	if n, err := io.CopyBuffer(io.Discard, r, make([]byte, 512)); err != nil {
		return s, err
	} else if n > 0 {
		return s, fmt.Errorf("%w: %d bytes after the end of the copy", ErrProtocol, n)
	}
	a.loading.Store(false)
	a.hear()
	a.mu.Lock()
	a.offset = s.Offset
	a.mu.Unlock()
	return s, nil
}

// quieted notes that the whole copy has arrived: from then on the master hears newlines, because
// the host may need a long time to load it.
type quieted struct {
	io.Reader
	l *Link
}

func (q *quieted) Read(p []byte) (int, error) {
	n, err := q.Reader.Read(p)
	if err == io.EOF {
		q.l.loading.Store(true)
	}
	return n, err
}

// A batch ends after so many commands or bytes, so that the loop serves others in between.
const (
	batchCommands = 512
	batchBytes    = 256 << 10
)

// follow hands the commands of the master to the host until the connection ends.
func (a *attempt) follow() error {
	p := parser{buf: a.in.buf, most: a.o.MaxCommand}
	a.in.buf = nil
	for {
		if err := a.runBatches(&p); err != nil {
			return err
		}
		p.compact()
		n, err := a.in.conn.Read(p.room(a.in.room[:]))
		p.fill(a.in.room[:], n)
		if n == 0 && err != nil {
			return err
		}
		a.hear()
	}
}

// runBatches runs all whole commands in the buffer of p.
func (a *attempt) runBatches(p *parser) error {
	for {
		var b Batch
		from := p.from // of the batch
		for len(b.Commands) < batchCommands && p.from-from < batchBytes {
			args, err := p.next()
			if err != nil {
				return cmp.Or(a.apply(&b, p.buf[from:p.from]), err)
			}
			if args == nil {
				break
			}
			if isGetAck(args) {
				if err := a.apply(&b, p.buf[from:]); err != nil {
					return err
				}
				b, from = Batch{}, p.end
				if err := a.acknowledge(); err != nil {
					return err
				}
			}
			b.Commands, b.Ends = append(b.Commands, args), append(b.Ends, p.from-from)
		}
		if len(b.Ends) == 0 {
			return nil
		}
		if err := a.apply(&b, p.buf[from:p.from]); err != nil {
			return err
		}
	}
}

// apply runs a batch.
func (a *attempt) apply(b *Batch, raw []byte) error {
	if len(b.Ends) == 0 {
		return nil
	}
	b.Raw = raw[:b.Ends[len(b.Ends)-1]]
	offset, err := a.o.Host.Apply(b)
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.offset = offset
	a.mu.Unlock()
	return nil
}

// isGetAck reports whether a command asks for an acknowledgement.
func isGetAck(args []string) bool {
	return len(args) == 3 && strings.EqualFold(args[0], "replconf") && strings.EqualFold(args[1], "getack")
}

// parser cuts the stream of the master into commands.
type parser struct {
	buf  []byte
	long *parts.Text // the end of a long argument, which follows buf; nil: none is in progress
	most int         // bytes of one command

	from int      // where the first command that has not been returned begins
	end  int      // where the command that was returned last begins
	pos  int      // where the part of it that has not been read begins
	left int64    // arguments of it that have not been read; 0: its head has not been read
	bulk int64    // length of the next argument, + 1; 0: it has not been read
	args []string // of it
}

// next returns the next command, an empty one for a newline, and nil if it has not arrived.
func (p *parser) next() ([]string, error) {
	p.pos = max(p.pos, p.from)
	if p.left == 0 {
		line, ok, err := p.line()
		switch {
		case err != nil || !ok:
			return nil, err
		case line == "":
			return p.take([]string{}), nil
		case line[0] != '*':
			return nil, p.violation("", "Master using the inline protocol. Desync?", p.from)
		}
		n, err := strconv.ParseInt(line[1:], 10, 64)
		switch {
		case err != nil || n > 1<<31-1:
			return nil, p.violation("invalid multibulk length", "invalid mbulk count", p.from)
		case n <= 0:
			return p.take([]string{}), nil
		}
		p.left, p.args = n, nil
	}
	for p.left > 0 {
		if p.bulk == 0 {
			begin := p.pos
			line, ok, err := p.line()
			if err != nil || !ok {
				return nil, err
			}
			if line == "" || line[0] != '$' {
				got := "\r"
				if line != "" {
					got = line[:1]
				}
				return nil, p.violation("expected '$', got '"+got+"'", "expected $ but got something else", begin)
			}
			n, err := strconv.ParseInt(line[1:], 10, 64)
			if err != nil || n < 0 || n > math.MaxInt64/2 {
				return nil, p.violation("invalid bulk length", "invalid bulk length", begin)
			}
			p.bulk = n + 1
		}
		n := int(p.bulk - 1) // what is longer than most has not arrived when that has
		if !p.arrived(n + 2) {
			return nil, p.tooLong()
		}
		p.args = append(p.args, string(p.buf[p.pos:p.pos+n]))
		p.pos += n + 2
		p.bulk = 0
		p.left--
	}
	return p.take(p.args), nil
}

// take ends the command.
func (p *parser) take(args []string) []string {
	p.args, p.end, p.from = nil, p.from, p.pos
	return args
}

// lineLimit is the length above which a line of a command is refused before its end has arrived.
const lineLimit = 64 << 10

// line returns the next line of a command; ok is false if it has not arrived.
func (p *parser) line() (line string, ok bool, err error) {
	rest := p.buf[p.pos:]
	i := bytes.IndexByte(rest, '\n')
	if i < 0 {
		if len(rest) <= lineLimit {
			return "", false, p.tooLong()
		}
		note := "too big inline request"
		switch rest[0] {
		case '*':
			note = "too big mbulk count string"
		case '$':
			note = "too big bulk count string"
		}
		return "", false, p.violation(note, note, p.pos)
	}
	p.pos += i + 1
	return strings.TrimSuffix(string(rest[:i]), "\r"), true, nil
}

// violation returns an error about what begins at a place of the buffer. It has the error that a
// client gets and a note for the log.
func (p *parser) violation(reply, note string, at int) error {
	if reply != "" {
		reply = "Protocol error: " + reply
	}
	return &Violation{Reply: reply, Note: note, Seen: seen(p.buf[at:])}
}

// tooLong returns an error if the command that is arriving is longer than allowed.
func (p *parser) tooLong() error {
	n := len(p.buf) - p.from
	if p.long != nil {
		n += p.long.Len()
	}
	if n > p.most {
		return fmt.Errorf("%w: a command is longer than %d bytes", ErrProtocol, p.most)
	}
	return nil
}

// longArgument is the size from which an argument arrives in memory of its own.
const longArgument = 64 << 10

// arrived reports whether the buffer has the n bytes of an argument that begin at pos. A long
// argument moves into the buffer when it is whole.
func (p *parser) arrived(n int) bool {
	switch {
	case p.long != nil && p.long.Whole():
		whole := make([]byte, 0, len(p.buf)+n)
		p.buf, p.long = p.long.AppendTo(append(whole, p.buf...)), nil
	case p.long == nil && n >= longArgument && len(p.buf)-p.pos < n:
		p.long = parts.New(n, p.buf[p.pos:])
		p.buf = p.buf[:p.pos]
	}
	return len(p.buf)-p.pos >= n
}

// room returns where the next bytes must be read into: given, or a place of its own.
func (p *parser) room(given []byte) []byte {
	if p.long != nil {
		return p.long.Room()
	}
	return given
}

// fill adds the n bytes that have been read into what room has returned.
func (p *parser) fill(given []byte, n int) {
	if p.long != nil {
		p.long.Fill(n)
		return
	}
	p.buf = append(p.buf, given[:n]...)
}

// keptBuffer is the size up to which the buffer of the stream is used again.
const keptBuffer = 1 << 20

// compact forgets the commands that have been returned.
func (p *parser) compact() {
	if p.from == 0 {
		return
	}
	rest := p.buf[p.from:]
	p.pos = max(p.pos-p.from, 0)
	p.from, p.end = 0, 0
	if cap(p.buf) > keptBuffer && len(rest) < keptBuffer/2 {
		p.buf = append([]byte(nil), rest...)
		return
	}
	p.buf = p.buf[:copy(p.buf, rest)]
}
