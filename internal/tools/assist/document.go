package assist

import (
	"sync"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Range is a part of a text, in bytes. To is exclusive.
type Range = luatree.Range

// Location is a place in a file of a script.
type Location struct {
	File string // as the bundle of the script names it; "": the document itself
	Range
}

// Document is a file of a script at one moment.
type Document struct {
	Text   string
	IsPart bool // it stands in front of scripts that are not known, so that its locals may be used there

	linter *lint.Linter
	script *bundle.Bundle // that has the file
	name   string         // of the file there

	once   sync.Once
	mu     sync.Mutex // guards study
	tokens []luatree.Token
	tree   *luatree.Tree // of the joined text; nil: it has too many errors
	whole  bool          // the joined text has no errors
	study  *lint.Study
	names  map[string]map[int]string // see lint.HeaderNames
}

// NewDocument returns a file that is a script of its own. Of the linter it only reads the
// configuration, so the linter may lint at the same time.
func NewDocument(l *lint.Linter, text string) *Document {
	return NewPart(l, bundle.Whole("", text), "")
}

// NewPart is NewDocument for a file of a script, which the bundle calls name.
func NewPart(l *lint.Linter, script *bundle.Bundle, name string) *Document {
	return &Document{Text: script.Source(name), linter: l, script: script, name: name}
}

// begin makes what the methods need and locks it.
func (d *Document) begin() {
	d.mu.Lock()
	d.once.Do(d.read)
}

func (d *Document) end() { d.mu.Unlock() }

func (d *Document) read() {
	d.tokens = luatree.Tokens(d.Text)
	tree, err := luatree.Parse(d.script.Text)
	d.tree, d.whole = tree, err == nil
	if err != nil {
		d.tree = luatree.ParseBroken(d.script.Text)
	}
	if d.tree == nil {
		return
	}
	d.study = d.linter.Study(d.tree)
	d.names = lint.HeaderNames(comments(d.Text))
	for i, text := range d.script.Texts() { // what other files say counts where this one is silent
		if d.script.Files[i] != d.name {
			d.addNames(text)
		}
	}
}

// comments returns a tree of a text that has no nodes but its comments.
func comments(text string) *luatree.Tree {
	t := luatree.NewTree(text)
	for _, token := range luatree.Tokens(text) {
		if token.Kind == luatree.CommentToken {
			t.Comments = append(t.Comments, luatree.Comment{Range: token.Range})
		}
	}
	return t
}

// addNames adds what the comments of another file say about keys and arguments.
func (d *Document) addNames(text string) {
	for table, names := range lint.HeaderNames(comments(text)) {
		for i, name := range names {
			if d.names[table][i] == "" {
				d.names[table][i] = name
			}
		}
	}
}

// locate returns the place of a range of the script. A range that goes on behind its file is cut
// off.
func (d *Document) locate(r Range) Location {
	file, from, to, _ := d.script.Part(r.From, min(r.To, len(d.script.Text)))
	l := Location{d.script.Files[file], Range{From: from, To: to}}
	if l.File == d.name {
		l.File = ""
	}
	return l
}

// own returns a range of the script in the file, and whether it begins there.
func (d *Document) own(r Range) (Range, bool) {
	l := d.locate(r)
	return l.Range, l.File == ""
}

// inScript returns the offset in the script of an offset of the file.
func (d *Document) inScript(at int) int { return d.script.Near(d.name, at) }

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
