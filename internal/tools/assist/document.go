package assist

import (
	"sync"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Range is a part of a text, in bytes. To is exclusive.
type Range = luatree.Range

// Part is a text that stands in front of a script.
type Part struct {
	Name string // how Location names it
	Text string
}

// Location is a place in a script or in a part in front of it.
type Location struct {
	Part string // the name of the part; "": the script itself
	Range
}

// Document is a script at one moment.
type Document struct {
	Text   string
	Parts  []Part
	IsPart bool // it stands in front of others, so that its locals may be used there

	linter *lint.Linter
	base   int // length of the parts

	once   sync.Once
	mu     sync.Mutex // guards study
	tokens []luatree.Token
	tree   *luatree.Tree // of the joined text; nil: it has too many errors
	whole  bool          // the joined text has no errors
	study  *lint.Study
	names  map[string]map[int]string // see lint.HeaderNames
}

// NewDocument returns a script. Of the linter it only reads the configuration, so the linter may
// lint at the same time.
func NewDocument(l *lint.Linter, text string, parts []Part) *Document {
	d := &Document{Text: text, Parts: parts, linter: l}
	for _, p := range parts {
		d.base += len(p.Text)
	}
	return d
}

// begin makes what the methods need and locks it.
func (d *Document) begin() {
	d.mu.Lock()
	d.once.Do(d.read)
}

func (d *Document) end() { d.mu.Unlock() }

func (d *Document) read() {
	d.tokens = luatree.Tokens(d.Text)
	joined := ""
	for _, p := range d.Parts {
		joined += p.Text
	}
	joined += d.Text
	tree, err := luatree.Parse(joined)
	d.tree, d.whole = tree, err == nil
	if err != nil {
		d.tree = luatree.ParseBroken(joined)
	}
	if d.tree == nil {
		return
	}
	d.study = d.linter.Study(d.tree)
	own := d.tree
	if d.base > 0 {
		own = luatree.NewTree(d.Text)
		for _, t := range d.tokens {
			if t.Kind == luatree.CommentToken {
				own.Comments = append(own.Comments, luatree.Comment{Range: t.Range})
			}
		}
	}
	d.names = lint.HeaderNames(own)
	for _, p := range d.Parts { // what the parts say counts where the script is silent
		d.addNames(p.Text)
	}
}

// addNames adds what the comments of a part say about keys and arguments.
func (d *Document) addNames(text string) {
	t := luatree.NewTree(text)
	for _, token := range luatree.Tokens(text) {
		if token.Kind == luatree.CommentToken {
			t.Comments = append(t.Comments, luatree.Comment{Range: token.Range})
		}
	}
	for table, names := range lint.HeaderNames(t) {
		for i, name := range names {
			if d.names[table][i] == "" {
				d.names[table][i] = name
			}
		}
	}
}

// locate returns the place of a range of the joined text. A range behind the end is cut off.
func (d *Document) locate(r Range) Location {
	at := 0
	for _, p := range d.Parts {
		if r.From < at+len(p.Text) {
			return Location{p.Name, Range{From: r.From - at, To: min(r.To-at, len(p.Text))}}
		}
		at += len(p.Text)
	}
	return Location{"", Range{From: min(r.From-at, len(d.Text)), To: min(r.To-at, len(d.Text))}}
}

// own returns a range of the joined text in the script, and whether it lies there.
func (d *Document) own(r Range) (Range, bool) {
	l := d.locate(r)
	return l.Range, l.Part == ""
}

// tokenAt returns the index of the token that contains an offset or ends there, or -1.
func (d *Document) tokenAt(at int) int {
	i := d.tokensBefore(at + 1)
	if i > 0 && d.tokens[i-1].From <= at && at <= d.tokens[i-1].To {
		i--
		// Between two tokens a name counts more than what follows it.
		if i > 0 && d.tokens[i].From == at && d.tokens[i].Kind != luatree.NameToken && d.tokens[i-1].To == at &&
			d.tokens[i-1].Kind != luatree.SymbolToken {
			i--
		}
		return i
	}
	return -1
}

// tokensBefore returns how many tokens begin before an offset.
func (d *Document) tokensBefore(at int) int {
	low, high := 0, len(d.tokens)
	for low < high {
		if m := (low + high) / 2; d.tokens[m].From < at {
			low = m + 1
		} else {
			high = m
		}
	}
	return low
}

func (d *Document) textOf(i int) string {
	t := d.tokens[i]
	return d.Text[t.From:t.To]
}
