package difftest

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Relax says how a reply may differ from the oracle's. The zero value requires the same bytes.
type Relax struct {
	Unordered bool
	Pairs     bool // with Unordered: flat lists are lists of pairs
	Tables    bool // maps and sets may be in any order, lists not
	Kind      bool
	Count     bool // only the kind and the number of elements count
	Scan      bool // a cursor and elements: in any order if one call has returned them all, else only their kind
	Approx    int64
	Claims    bool // with Approx: only the idle times of claimed entries, the third of four elements
	Monitor   bool // lines of MONITOR, of any time and any port
	Names     bool // names of cluster nodes
	Embedded  bool // embstr and raw are the same
	Unparsed  bool // with Embedded: int too
}

// Equal reports whether two raw replies are the same except where r relaxes the comparison.
func (r Relax) Equal(want, got []byte) bool {
	if bytes.Equal(want, got) {
		return true
	}
	if r == (Relax{}) {
		return false
	}
	if r.Monitor {
		return bytes.Equal(monitorLines.ReplaceAll(want, monitorLine), monitorLines.ReplaceAll(got, monitorLine))
	}
	if r.Embedded {
		return r.isText(want) && r.isText(got)
	}
	if r.Names {
		return bytes.Equal(nodeNames.ReplaceAll(want, nodeName), nodeNames.ReplaceAll(got, nodeName))
	}
	w, wrest, werr := parseFrame(want)
	g, grest, gerr := parseFrame(got)
	if werr != nil || gerr != nil || len(wrest)+len(grest) > 0 {
		return false
	}
	if r.Kind {
		return w.mark == g.mark
	}
	if r.Count {
		return w.mark == g.mark && len(w.kids) == len(g.kids)
	}
	if r.Scan {
		if w.mark != g.mark || len(w.kids) != len(g.kids) || len(w.kids) == 2 && w.kids[0].text+g.kids[0].text != "00" {
			return w.mark == g.mark && len(w.kids) == len(g.kids)
		}
		r.Unordered = true
	}
	r.sort(&w)
	r.sort(&g)
	return r.same(w, g)
}

// isText reports whether OBJECT ENCODING has found a text.
func (r Relax) isText(raw []byte) bool {
	return r.Unparsed && string(raw) == "$3\r\nint\r\n" || string(raw) == "$3\r\nraw\r\n" || string(raw) == "$6\r\nembstr\r\n"
}

// monitorLines are the beginnings of MONITOR's lines: time, database, address.
var (
	monitorLines = regexp.MustCompile(`(?m)^\+\d+\.\d{6} \[(\d+) (?:[0-9.]+:\d+|(lua))\]`)
	monitorLine  = []byte("+TIME [$1 ADDR$2]")
)

// nodeNames matches the names of cluster nodes.
var (
	nodeNames = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
	nodeName  = []byte("NAME")
)

// sort brings unordered elements into one order, the innermost first.
func (r Relax) sort(n *node) {
	for i := range n.kids {
		r.sort(&n.kids[i])
	}
	table := n.mark == '%' || n.mark == '~'
	if !r.Unordered && !(r.Tables && table) {
		return
	}
	if n.mark == '%' || r.Pairs && n.mark == '*' && len(n.kids)%2 == 0 {
		pairs := slices.Collect(slices.Chunk(n.kids, 2))
		slices.SortFunc(pairs, func(a, b []node) int { return strings.Compare(canon(a...), canon(b...)) })
		n.kids = slices.Concat(pairs...)
		return
	}
	slices.SortFunc(n.kids, func(a, b node) int { return strings.Compare(canon(a), canon(b)) })
}

// canon is an unambiguous text of nodes, for sorting.
func canon(ns ...node) string {
	var b strings.Builder
	for _, n := range ns {
		b.WriteByte(n.mark)
		b.WriteString(strconv.Quote(n.text))
		b.WriteByte('[')
		b.WriteString(canon(n.kids...))
		b.WriteByte(']')
	}
	return b.String()
}

func (r Relax) same(w, g node) bool {
	exact := r
	if r.Claims {
		exact.Approx = 0
	}
	if w.mark != g.mark || len(w.kids) != len(g.kids) || !exact.sameText(w.text, g.text) {
		return false
	}
	for i := range w.kids {
		if r.Claims && i == 2 && len(w.kids) == 4 {
			if w.kids[i].mark != g.kids[i].mark || !r.sameText(w.kids[i].text, g.kids[i].text) {
				return false
			}
		} else if !r.same(w.kids[i], g.kids[i]) {
			return false
		}
	}
	return true
}

func (r Relax) sameText(w, g string) bool {
	if w == g {
		return true
	}
	if r.Approx == 0 {
		return false
	}
	if a, err := strconv.ParseInt(w, 10, 64); err == nil {
		b, err := strconv.ParseInt(g, 10, 64)
		return err == nil && uint64(max(a, b))-uint64(min(a, b)) <= uint64(r.Approx)
	}
	a, err := strconv.ParseFloat(w, 64)
	b, gerr := strconv.ParseFloat(g, 64)
	return err == nil && gerr == nil && math.Abs(a-b) <= float64(r.Approx)
}
