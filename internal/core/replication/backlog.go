package replication

import "sync"

// Sizes of blocks of the backlog.
const (
	blockSize = 16 << 10 // the least
	blocks    = 16       // of a backlog, at least, if they are not smaller than a command
)

// backlog is the last part of the replication stream, as a list of blocks. The loop appends to it.
// A sender that is behind holds the block at which it reads. As in Redis, the backlog keeps that
// block and all after it, so it may be longer than its size: other replicas can continue there too.
// The limits of a replica's output bound how far it can be behind.
type backlog struct {
	size int64 // repl-backlog-size

	mu    sync.Mutex // held by the loop to append, and by senders to read the lengths of blocks and to hold blocks
	first *block
	last  *block
	begin int64 // offset of the first byte
	end   int64 // offset after the last byte
}

// block is a part of the stream. Its bytes do not change once they are below the backlog's end.
type block struct {
	data    []byte
	next    *block
	senders int // that hold it
}

// newBacklog returns an empty backlog whose first byte will have the given offset.
func newBacklog(size, offset int64) *backlog {
	b := &block{}
	return &backlog{size: size, first: b, last: b, begin: offset, end: offset}
}

// shift adds n to all offsets. There are no senders yet.
func (l *backlog) shift(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin += n
	l.end += n
}

// append adds bytes of the stream, and drops the oldest blocks that are no longer needed.
func (l *backlog) append(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end += int64(len(p))
	for len(p) > 0 {
		b := l.last
		if room := cap(b.data) - len(b.data); room == 0 {
			n := min(max(len(p), blockSize), max(int(l.size/blocks), 1))
			b.next = &block{data: make([]byte, 0, n)}
			l.last = b.next
			continue
		} else if room < len(p) {
			b.data, p = append(b.data, p[:room]...), p[room:]
			continue
		}
		b.data, p = append(b.data, p...), nil
	}
	l.trim()
}

// trim drops the oldest blocks that no sender holds and without which the backlog still has its
// size. The loop calls it, with mu held.
func (l *backlog) trim() {
	for l.first != l.last && l.first.senders == 0 && l.length()-int64(len(l.first.data)) >= l.size {
		l.begin += int64(len(l.first.data))
		l.first = l.first.next
	}
}

// resize changes the size, and drops what has become too much since the last append.
func (l *backlog) resize(size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size = size
	l.trim()
}

// length returns the number of bytes in the backlog.
func (l *backlog) length() int64 { return l.end - l.begin }

// holds reports whether the backlog can continue at an offset.
func (l *backlog) holds(offset int64) bool { return offset >= l.begin && offset <= l.end }

// latest returns the last bytes, at most so many.
func (l *backlog) latest(most int) string {
	var b []byte
	list, p := l.read(nil, l.at(max(l.begin, l.end-int64(most))), most)
	defer l.release(p)
	for _, part := range list {
		b = append(b, part...)
	}
	return string(b)
}

// position is where a sender reads. It holds its block, unless it is the zero position.
type position struct {
	block *block
	index int // in block
}

// at returns the position of an offset that the backlog has. The caller must release it.
func (l *backlog) at(offset int64) position {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, from := l.first, l.begin
	for b != l.last && offset >= from+int64(len(b.data)) {
		from += int64(len(b.data))
		b = b.next
	}
	b.senders++
	return position{b, int(offset - from)}
}

// again returns p for one more sender.
func (l *backlog) again(p position) position {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.block.senders++
	return p
}

// release ends the hold of p. What the backlog has too much is dropped at the next append.
func (l *backlog) release(p position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.block.senders--
}

// read appends to list about most bytes from p on, without copying them. It returns the position
// after them, which is held instead of p.
func (l *backlog) read(list [][]byte, p position, most int) ([][]byte, position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for most > 0 {
		if part := p.block.data[p.index:]; len(part) > 0 {
			part = part[:min(len(part), most)]
			list = append(list, part)
			p.index += len(part)
			most -= len(part)
			continue
		}
		if p.block.next == nil {
			break
		}
		p.block.senders--
		p = position{block: p.block.next}
		p.block.senders++
	}
	return list, p
}
