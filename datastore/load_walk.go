package datastore

import (
	"github.com/redmoon-lua/redmoon/datastore/internal/intset"
	"github.com/redmoon-lua/redmoon/datastore/internal/rdb"
	"github.com/redmoon-lua/redmoon/datastore/internal/ziplist"
)

// walker walks over a value of an RDB file without building it.
type walker struct {
	r    *rdbReader
	each func(Element) bool // gets the elements; nil if they are only counted
	n    int64              // elements
}

// give counts an element and passes it on.
func (w *walker) give(el Element) {
	w.n++
	if w.each != nil && !w.r.Bad && !w.each(el) {
		w.each = nil
	}
}

// text reads a string, or skips it if nobody wants it.
func (w *walker) text() string {
	if w.each == nil {
		w.r.SkipText()
		return ""
	}
	return w.r.Text()
}

func (w *walker) walk(kind byte) {
	r := w.r
	switch kind {
	case rdbString:
		if w.each == nil {
			w.n = int64(r.SkipText())
			return
		}
		text := r.Text()
		w.give(Element{Text: text})
		w.n = int64(len(text))
	case rdbList, rdbSet:
		for n := r.Length(); n > 0 && !r.Bad; n-- {
			w.give(Element{Text: w.text()})
		}
	case rdbHash:
		for n := r.Length(); n > 0 && !r.Bad; n-- {
			w.give(Element{Text: w.text(), Value: w.text()})
		}
	case rdbZSet:
		for n := r.Length(); n > 0 && !r.Bad; n-- {
			w.give(Element{Text: w.text(), Score: r.Double()})
		}
	case rdbZSetText:
		for n := r.Length(); n > 0 && !r.Bad; n-- {
			w.give(Element{Text: w.text(), Score: r.DoubleText()})
		}
	case rdbQuicklist, rdbQuicklist2:
		w.quicklist(kind)
	case rdbHashTimes, rdbHashTimesEarly:
		w.hashTimes(kind)
	case rdbStream, rdbStream2, rdbStream3:
		w.stream(kind)
	default:
		w.compact(kind)
	}
}

// compact walks over a value that is one string.
func (w *walker) compact(kind byte) {
	r := w.r
	switch kind {
	case rdbListZiplist:
		w.groups(r.ziplist(), 1, nil)
	case rdbZSetZiplist:
		w.groups(r.ziplist(), 2, scored)
	case rdbHashZiplist:
		w.groups(r.ziplist(), 2, valued)
	case rdbHashZipmap:
		w.groups(r.zipmap(), 2, valued)
	case rdbSetListpack:
		w.groups(r.entries(r.Blob()), 1, nil)
	case rdbZSetListpack:
		w.groups(r.entries(r.Blob()), 2, scored)
	case rdbHashListpack:
		w.groups(r.entries(r.Blob()), 2, valued)
	case rdbHashListpackTimes, rdbHashListpackEarly:
		if kind == rdbHashListpackTimes {
			r.Int64()
		}
		w.groups(r.entries(r.Blob()), 3, timed)
	case rdbIntset:
		b := r.Blob()
		if r.Bad || intset.Validate(b, true) != nil {
			r.Fail()
			return
		}
		s := intset.Set(b)
		for i := range s.Len() {
			w.give(Element{Text: FormatInt(s.At(i))})
		}
	default:
		r.Fail()
	}
}

// groups passes on elements of size entries each; set, if not nil, sets what follows the first.
func (w *walker) groups(entries []string, size int, set func(*Element, []string)) {
	if len(entries)%size != 0 {
		w.r.Fail()
	}
	for ; len(entries) >= size && !w.r.Bad; entries = entries[size:] {
		el := Element{Text: entries[0]}
		if set != nil {
			set(&el, entries[1:size])
		}
		w.give(el)
	}
}

func scored(el *Element, rest []string) { el.Score, _ = rdb.ScanFloat(rest[0]) }
func valued(el *Element, rest []string) { el.Value = rest[0] }
func timed(el *Element, rest []string) {
	el.Value = rest[0]
	el.ExpireAt, _ = ParseInt(rest[1])
}

func (w *walker) quicklist(kind byte) {
	r := w.r
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		container := uint64(nodePacked)
		if kind == rdbQuicklist2 {
			container = r.Length()
		}
		switch {
		case container == nodePlain:
			w.give(Element{Text: w.text()})
		case container != nodePacked:
			r.Fail()
		case kind == rdbQuicklist2:
			w.groups(r.entries(r.Blob()), 1, nil)
		default:
			els, err := ziplist.Texts(r.Blob())
			if err != nil {
				r.Fail()
			}
			w.groups(els, 1, nil)
		}
	}
}

func (w *walker) hashTimes(kind byte) {
	r := w.r
	first := int64(1)
	if kind == rdbHashTimes {
		first = r.Int64()
	}
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		at := int64(r.Length())
		if at != 0 {
			at += first - 1
		}
		w.give(Element{ExpireAt: at, Text: w.text(), Value: w.text()})
	}
}

// stream walks over the nodes, and skips the groups.
func (w *walker) stream(kind byte) {
	r := w.r
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		w.streamNode()
	}
	length := r.Number()
	r.streamID()
	if kind >= rdbStream2 {
		r.streamID()
		r.streamID()
		r.Number()
	}
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		r.SkipText()
		r.streamID()
		if kind >= rdbStream2 {
			r.Number()
		}
		for n := r.Length(); n > 0 && !r.Bad; n-- {
			r.Skip(16)
			r.Int64()
			r.Number()
		}
		for n := r.Length(); n > 0 && !r.Bad; n-- {
			r.SkipText()
			r.Int64()
			if kind == rdbStream3 {
				r.Int64()
			}
			for n := r.Length(); n > 0 && !r.Bad; n-- {
				r.Skip(16)
			}
		}
	}
	w.n = int64(min(length, 1<<62))
}

// streamNode passes on the entries of a node.
func (w *walker) streamNode() {
	r := w.r
	if w.each == nil {
		r.SkipText()
		r.SkipText()
		return
	}
	node := &Stream{st: r.st}
	r.streamNode(node)
	if r.Bad {
		return
	}
	node.last = MaxStreamID
	node.length = 1
	node.Range(StreamID{}, MaxStreamID, func(e *StreamEntry) bool {
		w.give(Element{ID: e.ID, Pairs: e.AppendPairs(nil)})
		return w.each != nil
	})
}
