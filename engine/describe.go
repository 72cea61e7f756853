package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Bounds of what a KeyChange tells.
const (
	shownText     = 200 // bytes of a text
	shownElements = 20  // elements of a value
)

// describeChange tells in text how two states of a key differ; nil: it was, or is, not there.
func describeChange(before, after *Entry, now int64) (a, b string) {
	if before == nil || after == nil || before.Object().Type() != after.Object().Type() {
		return describeKey(before, nil, now), describeKey(after, nil, now)
	}
	return describeKey(before, after, now), describeKey(after, before, now)
}

// describeKey tells of e: its type, size and time to live, and of its value what is not the same in other. nil: there is no other.
func describeKey(e, other *Entry, now int64) string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	o := e.Object()
	fmt.Fprintf(&b, "%s, %s", o.Type(), count(o.Len(), unitOf(o)))
	b.WriteString(left(e.ExpireAt(), now))
	var than Object
	if other != nil {
		than = other.Object()
	}
	shown, hidden := 0, 0
	differing(o, than, now, func(text string) {
		if shown == shownElements {
			hidden++
			return
		}
		shown++
		b.WriteString("\n" + text)
	})
	if hidden > 0 {
		fmt.Fprintf(&b, "\n… and %d more", hidden)
	}
	return b.String()
}

func count(n int, unit [2]string) string {
	if n == 1 {
		return "1 " + unit[0]
	}
	return strconv.Itoa(n) + " " + unit[1]
}

// unitOf is what a value consists of, one and many.
func unitOf(o Object) [2]string {
	switch o.Type() {
	case datastore.TypeString:
		return [2]string{"byte", "bytes"}
	case datastore.TypeHash:
		return [2]string{"field", "fields"}
	case datastore.TypeList:
		return [2]string{"element", "elements"}
	case datastore.TypeStream:
		return [2]string{"entry", "entries"}
	}
	return [2]string{"member", "members"}
}

// differing calls f with a text for each element of o that than, of the same type or nil, has not, or has otherwise.
func differing(o, than Object, now int64, f func(text string)) {
	switch o := o.(type) {
	case *String:
		other, _ := than.(*String)
		f(textUnlike(o, other))
	case *Hash:
		other, _ := than.(*Hash)
		o.All(func(field, value string) bool {
			at, _ := o.FieldExpireAt(field)
			if was, wasAt, ok := fieldOf(other, field); !ok || was != value || wasAt != at {
				f(quoted(field) + " = " + quoted(value) + left(at, now))
			}
			return true
		})
	case *Set:
		other, _ := than.(*Set)
		o.All(func(member string) bool {
			if other == nil || !other.Has(member) {
				f(quoted(member))
			}
			return true
		})
	case *ZSet:
		other, _ := than.(*ZSet)
		o.Ascend(0, o.Len(), func(it ZItem) bool {
			if other != nil {
				if was, ok := other.Score(it.Member); ok && was == it.Score {
					return true
				}
			}
			f(quoted(it.Member) + " = " + strconv.FormatFloat(it.Score, 'g', -1, 64))
			return true
		})
	case *List:
		other, _ := than.(*List)
		elementsUnlike(o, other, f)
	case *Stream:
		other, _ := than.(*Stream)
		entriesUnlike(o, other, f)
	}
}

// left tells how long it is until a time in ms since the epoch; 0 is never.
func left(at, now int64) string {
	if at == 0 {
		return ""
	}
	return ", expires in " + time.UnixMilli(at).Sub(time.UnixMilli(now)).String()
}

func fieldOf(h *Hash, field string) (value string, at int64, ok bool) {
	if h == nil {
		return "", 0, false
	}
	at, _ = h.FieldExpireAt(field)
	value, ok = h.Get(field)
	return value, at, ok
}

// textUnlike is the text of a string; of a long one the part where it differs from other, which may be nil.
func textUnlike(s, other *String) string {
	text := s.Text()
	if other == nil || len(text) <= shownText {
		return quoted(text)
	}
	same, was := 0, other.Text()
	for same < min(len(text), len(was)) && text[same] == was[same] {
		same++
	}
	const around = 20
	if same <= around {
		return quoted(text)
	}
	return "…" + quoted(text[same-around:])
}

// elementsUnlike tells the elements of a list between what it begins and ends with as other does.
func elementsUnlike(l, other *List, f func(text string)) {
	els := elements(l)
	from, to := 0, len(els)
	if other != nil {
		was := elements(other)
		for from < min(len(els), len(was)) && els[from] == was[from] {
			from++
		}
		for end := len(was); to > from && end > from && els[to-1] == was[end-1]; end-- {
			to--
		}
	}
	for i := from; i < to; i++ {
		f("[" + strconv.Itoa(i) + "] " + quoted(els[i]))
	}
}

func elements(l *List) (els []string) {
	l.Ascend(0, func(_ int, el string) bool {
		els = append(els, el)
		return true
	})
	return els
}

// entriesUnlike tells the entries of a stream that other has not, and its groups where they differ.
func entriesUnlike(s, other *Stream, f func(text string)) {
	s.Range(StreamID{}, datastore.MaxStreamID, func(e *StreamEntry) bool {
		if other != nil && other.Has(e.ID) {
			return true
		}
		text := e.ID.String()
		for i, part := range e.AppendPairs(nil) {
			text += []string{" ", " = "}[i%2] + quoted(part)
		}
		f(text)
		return true
	})
	if groups := groupsText(s); other == nil || groups != groupsText(other) {
		for line := range strings.Lines(groups) {
			f(strings.TrimSuffix(line, "\n"))
		}
	}
}

// groupsText tells of a stream's groups, a line each.
func groupsText(s *Stream) string {
	var b strings.Builder
	for _, g := range s.Groups() {
		fmt.Fprintf(&b, "group %s at %s, %d pending, %s\n", quoted(g.Name()), g.LastID(), g.Pending(), count(len(g.Consumers()), [2]string{"consumer", "consumers"}))
	}
	return b.String()
}

// quoted is a text in quotes, cut where it is long.
func quoted(s string) string {
	if len(s) <= shownText {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%q… (%d bytes)", s[:shownText], len(s))
}
