package link

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// receive reads the copy s and hands it to the host.
func (a *attempt) receive(s Sync) error {
	a.change(Receiving)
	size, mark, err := a.in.copySize()
	if err != nil {
		return err
	}
	s.Size, s.Marked = size, mark != ""
	var r io.Reader = &sized{a.in, size}
	if s.Marked {
		r = &marked{in: a.in, mark: mark}
	}
	if err := a.o.Host.Load(s, &quieted{r, a.Link}); err != nil {
		return err
	}
	if n, err := io.CopyBuffer(io.Discard, r, make([]byte, 512)); err != nil {
		return err
	} else if n > 0 {
		return fmt.Errorf("%w: %d bytes after the end of the copy", errProtocol, n)
	}
	a.loading.Store(false)
	a.hear()
	a.mu.Lock()
	a.offset = s.Offset
	a.mu.Unlock()
	return nil
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
		n, err := a.in.conn.Read(a.in.room[:])
		p.buf = append(p.buf, a.in.room[:n]...)
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
				return err
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
	most int // bytes of one command

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
			return nil, fmt.Errorf("%w: Master using the inline protocol. Desync?", errProtocol)
		}
		n, err := strconv.ParseInt(line[1:], 10, 64)
		switch {
		case err != nil || n > 1<<31-1:
			return nil, fmt.Errorf("%w: invalid multibulk length", errProtocol)
		case n <= 0:
			return p.take([]string{}), nil
		}
		p.left, p.args = n, nil
	}
	for p.left > 0 {
		if p.bulk == 0 {
			line, ok, err := p.line()
			if err != nil || !ok {
				return nil, err
			}
			n, perr := int64(0), error(nil)
			if strings.HasPrefix(line, "$") {
				n, perr = strconv.ParseInt(line[1:], 10, 64)
			} else {
				return nil, fmt.Errorf("%w: expected '$', got '%.1s'", errProtocol, line)
			}
			if perr != nil || n < 0 || n > int64(p.most) {
				return nil, fmt.Errorf("%w: invalid bulk length", errProtocol)
			}
			p.bulk = n + 1
		}
		n := int(p.bulk - 1)
		if len(p.buf)-p.pos < n+2 {
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

// line returns the next line of a command; ok is false if it has not arrived.
func (p *parser) line() (line string, ok bool, err error) {
	rest := p.buf[p.pos:]
	i := bytes.IndexByte(rest[:min(len(rest), lineLimit)], '\n')
	if i < 0 {
		if len(rest) >= lineLimit {
			return "", false, fmt.Errorf("%w: a line is longer than %d bytes", errProtocol, lineLimit)
		}
		return "", false, p.tooLong()
	}
	p.pos += i + 1
	return strings.TrimSuffix(string(rest[:i]), "\r"), true, nil
}

// tooLong returns an error if the command that is arriving is longer than allowed.
func (p *parser) tooLong() error {
	if len(p.buf)-p.from > p.most {
		return fmt.Errorf("%w: a command is longer than %d bytes", errProtocol, p.most)
	}
	return nil
}

// keptBuffer is the size up to which the buffer of the stream is used again.
const keptBuffer = 1 << 20

// compact forgets the commands that have been returned.
func (p *parser) compact() {
	if p.from == 0 {
		return
	}
	n := copy(p.buf, p.buf[p.from:])
	p.pos = max(p.pos-p.from, 0)
	p.buf, p.from, p.end = p.buf[:n], 0, 0
	if n == 0 && cap(p.buf) > keptBuffer {
		p.buf = nil
	}
}
