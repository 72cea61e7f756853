package keydiff

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Bounds of a description.
const (
	shownText     = 200 // bytes of a text
	shownElements = 20  // elements of a value
)

// texts describes two states of a key: type, size, time to live, and of the value only what
// differs, one line for each element. An entry is nil, and its text "", if the key does not exist
// in that state. now is in milliseconds since the epoch. Long texts and long lists of elements are
// cut.
func texts(before, after *datastore.Entry, now int64) (a, b string) {
	if before == nil || after == nil || before.Object().Type() != after.Object().Type() {
		return describeKey(before, nil, now), describeKey(after, nil, now)
	}
	return describeKey(before, after, now), describeKey(after, before, now)
}

// describeKey describes e, and of its value only what differs from other. other may be nil.
func describeKey(e, other *datastore.Entry, now int64) string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	o := e.Object()
	fmt.Fprintf(&b, "%s, %s", o.Type(), count(o.Len(), unitOf(o)))
	b.WriteString(left(e.ExpireAt(), now))
	var than datastore.Object
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

// unitOf returns the word for one element of a value and for several.
func unitOf(o datastore.Object) [2]string {
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

// differing calls f with a text for each element of o that than does not have or that differs
// there. than has the type of o or is nil.
func differing(o, than datastore.Object, now int64, f func(text string)) {
	switch o := o.(type) {
	case *datastore.String:
		other, _ := than.(*datastore.String)
		f(textUnlike(o, other))
	case *datastore.Hash:
		other, _ := than.(*datastore.Hash)
		o.All(func(field, value string) bool {
			at, _ := o.FieldExpireAt(field)
			if was, wasAt, ok := fieldOf(other, field); !ok || was != value || wasAt != at {
				f(quoted(field) + " = " + quoted(value) + left(at, now))
			}
			return true
		})
	case *datastore.Set:
		other, _ := than.(*datastore.Set)
		o.All(func(member string) bool {
			if other == nil || !other.Has(member) {
				f(quoted(member))
			}
			return true
		})
	case *datastore.ZSet:
		other, _ := than.(*datastore.ZSet)
		o.Ascend(0, o.Len(), func(it datastore.ZItem) bool {
			if other != nil {
				if was, ok := other.Score(it.Member); ok && was == it.Score {
					return true
				}
			}
			f(quoted(it.Member) + " = " + strconv.FormatFloat(it.Score, 'g', -1, 64))
			return true
		})
	case *datastore.List:
		other, _ := than.(*datastore.List)
		elementsUnlike(o, other, f)
	case *datastore.Stream:
		other, _ := than.(*datastore.Stream)
		entriesUnlike(o, other, f)
	}
}

// left describes how long it is until at, in milliseconds since the epoch; 0 is never.
func left(at, now int64) string {
	if at == 0 {
		return ""
	}
	return ", expires in " + time.UnixMilli(at).Sub(time.UnixMilli(now)).String()
}

func fieldOf(h *datastore.Hash, field string) (value string, at int64, ok bool) {
	if h == nil {
		return "", 0, false
	}
	at, _ = h.FieldExpireAt(field)
	value, ok = h.Get(field)
	return value, at, ok
}

// textUnlike returns the text of a string; of a long text the part from where it differs from
// other, which may be nil.
func textUnlike(s, other *datastore.String) string {
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

// elementsUnlike calls f for the elements of a list without the beginning and the end that are the
// same in other.
func elementsUnlike(l, other *datastore.List, f func(text string)) {
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

func elements(l *datastore.List) (els []string) {
	l.Ascend(0, func(_ int, el string) bool {
		els = append(els, el)
		return true
	})
	return els
}

// entriesUnlike calls f for the entries of a stream that other does not have, and for its groups if
// they differ.
func entriesUnlike(s, other *datastore.Stream, f func(text string)) {
	s.Range(datastore.StreamID{}, datastore.MaxStreamID, func(e *datastore.StreamEntry) bool {
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

// groupsText describes the groups of a stream, one line for each.
func groupsText(s *datastore.Stream) string {
	var b strings.Builder
	for _, g := range s.Groups() {
		fmt.Fprintf(&b, "group %s at %s, %d pending, %s\n",
			quoted(g.Name()), g.LastID(), g.Pending(), count(len(g.Consumers()), [2]string{"consumer", "consumers"}))
	}
	return b.String()
}

// quoted returns s in quotes; a long s is cut.
func quoted(s string) string {
	if len(s) <= shownText {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%q… (%d bytes)", s[:shownText], len(s))
}
