package datastore

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
)

// commandItems is the number of elements that one command of a base file adds, as in Redis.
const commandItems = 64

// body writes the value of an entry, and as commands its expiry time too.
func (w *keyWriter) body(e *Entry) {
	if !w.commands {
		w.value(e.obj)
		return
	}
	switch o := e.obj.(type) {
	case *String:
		w.command("SET", e.key, o.Text())
	case *List:
		b := w.batch("RPUSH", e.key, o.Len())
		o.Ascend(0, func(_ int, el string) bool { b.add(el); return true })
	case *Set:
		b := w.batch("SADD", e.key, o.Len())
		o.All(func(m string) bool { b.add(m); return true })
	case *ZSet:
		b := w.batch("ZADD", e.key, o.Len())
		o.Ascend(0, o.Len(), func(it ZItem) bool {
			b.add(w.score(it.Score, o.Compact()), it.Member)
			return true
		})
	case *Hash:
		w.hashCommands(e.key, o)
	case *Stream:
		w.streamCommands(e.key, o)
	}
	if e.expireAt != 0 {
		w.command("PEXPIREAT", e.key, strconv.FormatInt(e.expireAt, 10))
	}
}

// score returns the text of a score. Since Redis 7.2 it has few digits; the compact form has whole
// numbers as integers.
func (w *keyWriter) score(f float64, compact bool) string {
	switch {
	case !w.st.limits.ShortScores:
		return string(appendScore(nil, f))
	case compact:
		return string(numbers.AppendShort(nil, f))
	}
	return string(numbers.AppendShortDouble(nil, f))
}

// hashCommands writes a hash. If its fields may have expiry times, Redis writes each field by
// itself and then its time, Valkey the fields with times first.
func (w *keyWriter) hashCommands(key string, h *Hash) {
	valkey := w.st.limits.LargeTimedHashes
	if h.times == nil || valkey && h.firstExpire() == 0 {
		b := w.batch("HMSET", key, h.Len())
		h.each(func(field, value string, _ int64) bool { b.add(field, value); return true })
		return
	}
	if valkey {
		w.valkeyHashCommands(key, h)
		return
	}
	h.each(func(field, value string, at int64) bool {
		w.command("HMSET", key, field, value)
		if at != 0 {
			w.command("HPEXPIREAT", key, strconv.FormatInt(at, 10), "FIELDS", "1", field)
		}
		return true
	})
}

func (w *keyWriter) valkeyHashCommands(key string, h *Hash) {
	rest := h.Len()
	h.each(func(field, value string, at int64) bool {
		if at != 0 {
			w.command("HSETEX", key, "PXAT", strconv.FormatInt(at, 10), "FIELDS", "1", field, value)
			rest--
		}
		return true
	})
	b := w.batch("HMSET", key, rest)
	h.each(func(field, value string, at int64) bool {
		if at == 0 {
			b.add(field, value)
		}
		return true
	})
}

func (w *keyWriter) streamCommands(key string, s *Stream) {
	if s.Len() == 0 { // a stream that exists and has no entries
		w.command("XADD", key, "MAXLEN", "0", "0-1", "x", "y")
	}
	s.Range(StreamID{}, MaxStreamID, func(e *StreamEntry) bool {
		w.command(e.AppendPairs([]string{"XADD", key, e.ID.String()})...)
		return true
	})
	w.command("XSETID", key, s.last.String(), "ENTRIESADDED", strconv.FormatUint(s.added, 10), "MAXDELETEDID", s.maxDeleted.String())
	for _, g := range s.groups {
		w.command("XGROUP", "CREATE", key, g.name, g.last.String(), "ENTRIESREAD", strconv.FormatInt(g.read, 10))
		for _, c := range g.consumers {
			if c.pending.len() == 0 {
				w.command("XGROUP", "CREATECONSUMER", key, g.name, c.name)
			}
			g.EachPending(c, StreamID{}, MaxStreamID, func(p StreamPending) bool {
				w.command("XCLAIM", key, g.name, c.name, "0", p.ID.String(), "TIME", strconv.FormatInt(p.At, 10),
					"RETRYCOUNT", strconv.FormatUint(p.Count, 10), "JUSTID", "FORCE")
				return true
			})
		}
	}
	w.producerCommands(key, s)
}

// producerCommands writes what a stream of Redis 8.6 knows of its producers.
func (w *keyWriter) producerCommands(key string, s *Stream) {
	info, usual := s.ProducersInfo(), s.st.limits
	if info.Duration != int64(usual.StreamIDMPDuration) || info.MaxSize != int64(usual.StreamIDMPMaxSize) {
		w.command("XCFGSET", key, "IDMP-DURATION", strconv.FormatInt(info.Duration, 10), "IDMP-MAXSIZE", strconv.FormatInt(info.MaxSize, 10))
	}
	s.EachProducer(func(pid string, ids []StreamProduced) bool {
		for _, id := range ids {
			w.command("XIDMPRECORD", key, pid, id.IID, id.Entry.String())
		}
		return true
	})
}

// commandBatch writes commands that add up to commandItems elements each.
type commandBatch struct {
	w         *keyWriter
	name, key string
	left      int // elements that are not written
	room      int // elements that the command still takes
}

func (w *keyWriter) batch(name, key string, n int) *commandBatch {
	return &commandBatch{w: w, name: name, key: key, left: n}
}

// add writes one element, which consists of some arguments.
func (b *commandBatch) add(args ...string) {
	if b.room == 0 {
		b.room = min(b.left, commandItems)
		b.w.arguments(2+b.room*len(args), b.name, b.key)
	}
	b.w.append(args)
	b.room--
	b.left--
}

// command writes a command line in RESP.
func (w *keyWriter) command(args ...string) { w.arguments(len(args), args...) }

// arguments begins a command line of n arguments with some of them.
func (w *keyWriter) arguments(n int, args ...string) {
	w.Raw(append(strconv.AppendInt([]byte{'*'}, int64(n), 10), '\r', '\n'))
	w.append(args)
}

func (w *keyWriter) append(args []string) {
	for _, arg := range args {
		w.Raw(append(strconv.AppendInt([]byte{'$'}, int64(len(arg)), 10), '\r', '\n'))
		w.RawText(arg)
		w.Raw([]byte{'\r', '\n'})
	}
}
