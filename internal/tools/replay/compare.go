package replay

// How a reply is compared with the recorded one: exactly, without order, with times that are near,
// or by its kind.

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// Reason says why a reply that differs is not a difference, or why a reply is not compared.
type Reason string

// The reasons.
const (
	ByChance  Reason = "chance"     // chance decides the reply
	ByOrder   Reason = "order"      // Redis gives no order; the elements are the same
	ByClock   Reason = "clock"      // the times are as near as the recording knows them
	ByServer  Reason = "server"     // the reply is about the recorded server itself
	ByRefusal Reason = "refused"    // the recorded server has refused the command because of its own state
	Hidden    Reason = "password"   // a password is not in the recording
	NoReply   Reason = "no reply"   // the recording has no reply
	NoText    Reason = "no text"    // the text of the script is not in the recording
	ReplyMode Reason = "reply mode" // CLIENT REPLY: a replay always has replies
	Withheld  Reason = "withheld"   // the command reaches for files or other servers
)

// verdict is what a comparison finds.
type verdict struct {
	differs bool
	why     Reason // of a reply that is not the same and does not differ; "": it is the same
}

var (
	same    = verdict{}
	differs = verdict{differs: true}
)

// allowance says how a reply may differ from the recorded one without being a difference.
type allowance struct {
	order, pairs, chance, clock, server bool
	tolerance                           time.Duration // of times, with clock
}

// want is a recorded reply.
type want struct {
	raw    string
	cut    bool
	size   int64
	sha256 string

	decoded bool
	value   reply.Value
	err     error
}

// decode returns the reply as a value.
func (w *want) decode() (reply.Value, error) {
	if !w.decoded {
		w.decoded = true
		w.value, w.err = decode(w.raw)
	}
	return w.value, w.err
}

// decode returns a reply in RESP as a value.
func decode(raw string) (reply.Value, error) {
	return resp.NewDecoder(strings.NewReader(raw)).Decode()
}

// hasBytes reports whether the reply has these bytes.
func (w *want) hasBytes(raw []byte) bool {
	if !w.cut {
		return w.raw == string(raw)
	}
	if w.size != int64(len(raw)) || !strings.HasPrefix(string(raw), w.raw) {
		return false
	}
	sum := sha256.Sum256(raw)
	return w.sha256 == hex.EncodeToString(sum[:])
}

// isNil reports whether the reply is a null.
func (w *want) isNil() bool { return w.raw == "$-1\r\n" || w.raw == "*-1\r\n" || w.raw == "_\r\n" }

// isError reports whether the reply is an error.
func (w *want) isError() bool { return strings.HasPrefix(w.raw, "-") || strings.HasPrefix(w.raw, "!") }

// judge compares a reply with the recorded one.
func (r allowance) judge(w *want, raw []byte) verdict {
	if w.hasBytes(raw) {
		return same
	}
	if w.cut {
		if r.order || r.chance || r.clock || r.server {
			return verdict{why: ByOrder} // the elements are not known
		}
		return differs
	}
	a, err := w.decode()
	if err != nil {
		return differs
	}
	b, err := decode(string(raw))
	if err != nil {
		return differs
	}
	return r.compare(a, b)
}

// compare compares a value with the recorded one, which has other bytes.
func (r allowance) compare(a, b reply.Value) verdict {
	switch {
	case a.IsError() != b.IsError():
		return differs
	case r.order && Unordered(a, b, r.pairs):
		return verdict{why: ByOrder}
	case r.clock && nearInTime(a, b, r.tolerance):
		return verdict{why: ByClock}
	case r.order && r.clock && nearInTime(sorted(a, r.pairs), sorted(b, r.pairs), r.tolerance):
		return verdict{why: ByClock}
	case r.chance && sameKind(a, b):
		return verdict{why: ByChance}
	case r.server && sameKind(a, b):
		return verdict{why: ByServer}
	}
	return differs
}

// sameKind reports whether two values have the same kind.
func sameKind(a, b reply.Value) bool {
	return a.Kind() == b.Kind() || a.IsNil() || b.IsNil()
}

// Unordered reports whether two values are the same if the elements of lists have no order, at
// every depth.
func Unordered(a, b reply.Value, pairs bool) bool {
	return sorted(a, pairs).Equal(sorted(b, pairs))
}

// sorted returns v with its elements in one order. The pairs of a map, and with pairs those of a
// flat list, stay together.
func sorted(v reply.Value, pairs bool) reply.Value {
	elems := v.Slice()
	if len(elems) == 0 {
		return v
	}
	list := make([]reply.Value, len(elems))
	for i, e := range elems {
		list[i] = sorted(e, pairs)
	}
	step := 1
	if (v.Kind() == reply.KindMap || (pairs && v.Kind() == reply.KindArray)) && len(list)%2 == 0 {
		step = 2
	}
	groups := slices.Collect(slices.Chunk(list, step))
	keys := make(map[*reply.Value]string, len(groups))
	for _, g := range groups {
		var b []byte
		for i := range g {
			b = resp.Append(b, g[i], 3)
		}
		keys[&g[0]] = string(b)
	}
	slices.SortStableFunc(groups, func(x, y []reply.Value) int { return strings.Compare(keys[&x[0]], keys[&y[0]]) })
	list = slices.Concat(groups...)
	switch v.Kind() {
	case reply.KindMap:
		return reply.Map(list...)
	case reply.KindSet:
		return reply.Set(list...)
	case reply.KindPush:
		return reply.Push(list...)
	}
	return reply.Array(list...)
}

// equalLeaves compares the elements of two values that have the same structure, at every depth.
func equalLeaves(a, b reply.Value, equal func(a, b reply.Value) bool) bool {
	x, y := a.Slice(), b.Slice()
	if len(x) != len(y) {
		return false
	}
	if len(x) == 0 {
		return a.Equal(b) || equal(a, b)
	}
	if a.Kind() != b.Kind() {
		return false
	}
	for i := range x {
		if !equalLeaves(x[i], y[i], equal) {
			return false
		}
	}
	return true
}

// nearInTime reports whether two values are the same except for times that are near each other.
func nearInTime(a, b reply.Value, tolerance time.Duration) bool {
	return equalLeaves(a, b, func(a, b reply.Value) bool {
		if a.Kind() != b.Kind() {
			return false
		}
		// A negative number is not a time: TTL says by -1 and -2 why there is none.
		negative := strings.HasPrefix(a.Text(), "-") || strings.HasPrefix(b.Text(), "-")
		return (a.Kind() != reply.KindInt || !negative) && nearInTimeText(a.Text(), b.Text(), tolerance)
	})
}

// nearInTimeText compares two texts. Runs of digits may differ if they may be the same moment or
// duration.
func nearInTimeText(a, b string, tolerance time.Duration) bool {
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return false
			}
			a, b = a[1:], b[1:]
			continue
		}
		if a[:x] != b[:y] && !nearInTimeNumber(a[:x], b[:y], tolerance) {
			return false
		}
		a, b = a[x:], b[y:]
	}
	return a == b
}

// leadingDigits returns with how many digits s begins.
func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// nearInTimeNumber reports whether two numbers may be the same moment or duration. The size gives
// the unit: Unix times in seconds, milliseconds, microseconds or nanoseconds, and shorter numbers
// are milliseconds, or from 1 to 999 seconds.
func nearInTimeNumber(a, b string, tolerance time.Duration) bool {
	x, err1 := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	apart := max(x, y) - min(x, y)
	switch least := min(x, y); {
	case least >= 1e17:
		return apart <= tolerance.Nanoseconds()
	case least >= 1e14:
		return apart <= tolerance.Microseconds()
	case least >= 1e11, least >= 1e3 && least < 1e8:
		return apart <= tolerance.Milliseconds()
	}
	return apart <= int64(tolerance.Seconds())+1
}

// between reports whether each element of w is between those of a and b, which are replies at an
// earlier and at a later time, and at least one differs between them.
func between(w, a, b reply.Value) bool {
	if a.Equal(b) || !sameStructure(w, a) || !sameStructure(w, b) {
		return false
	}
	return leavesBetween(w, a, b)
}

// sameStructure reports whether two values have lists of the same lengths, at every depth.
func sameStructure(a, b reply.Value) bool {
	x, y := a.Slice(), b.Slice()
	if len(x) != len(y) || a.IsError() != b.IsError() {
		return false
	}
	for i := range x {
		if !sameStructure(x[i], y[i]) {
			return false
		}
	}
	return true
}

func leavesBetween(w, a, b reply.Value) bool {
	x, y, z := w.Slice(), a.Slice(), b.Slice()
	for i := range x {
		if !leavesBetween(x[i], y[i], z[i]) {
			return false
		}
	}
	if len(x) > 0 || w.Equal(a) || w.Equal(b) {
		return true
	}
	n, err1 := w.Float()
	lo, err2 := a.Float()
	hi, err3 := b.Float()
	return err1 == nil && err2 == nil && err3 == nil && n >= min(lo, hi) && n <= max(lo, hi)
}

// timesIn returns the times, in us since the epoch, that a reply names: as the ID of a stream
// entry, or as seconds and microseconds like TIME.
func timesIn(v reply.Value, found []int64) []int64 {
	elems := v.Slice()
	if len(elems) == 2 {
		sec, err1 := elems[0].Int()
		micro, err2 := elems[1].Int()
		if err1 == nil && err2 == nil && sec > 1e8 && sec < 1e11 && micro >= 0 && micro < 1e6 {
			return append(found, sec*1e6+micro)
		}
	}
	for _, e := range elems {
		if found = timesIn(e, found); len(found) >= maxTimesInReply {
			return found
		}
	}
	ms, seq, ok := strings.Cut(v.Text(), "-")
	if !ok || len(ms) < 12 || len(ms) > 14 || leadingDigits(ms) != len(ms) || seq == "" ||
		leadingDigits(seq) != len(seq) {
		return found
	}
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil {
		return found
	}
	return append(found, n*1000)
}

// maxTimesInReply is the number of times that are taken from one reply.
const maxTimesInReply = 4
