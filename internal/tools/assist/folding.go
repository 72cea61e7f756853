package assist

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

// Fold is a range of lines, from 0, that an editor can hide.
type Fold struct {
	From, To int
	Comment  bool
}

// Folds returns the blocks, brackets, long strings and comments of more than one line. line returns
// the line of an offset.
func (d *Document) Folds(line func(offset int) int) []Fold {
	d.begin()
	defer d.end()
	f := folder{line: line}
	for _, t := range d.tokens {
		f.token(t, d.Text[t.From:t.To])
	}
	f.endComments()
	return f.list
}

type folder struct {
	line     func(offset int) int
	list     []Fold
	open     []openFold
	comments Fold // lines of comments that follow each other; To < 0: none
	started  bool
}

type openFold struct {
	symbol string
	line   int
}

func (f *folder) token(t luatree.Token, s string) {
	from, to := f.line(t.From), f.line(t.To)
	switch t.Kind {
	case luatree.CommentToken:
		f.comment(from, to)
		return
	case luatree.StringToken, luatree.InvalidToken:
		f.add(from, to, false)
	}
	f.endComments()
	if t.Kind != luatree.KeywordToken && t.Kind != luatree.SymbolToken {
		return
	}
	switch s {
	case "function", "if", "do", "repeat", "(", "{", "[":
		f.open = append(f.open, openFold{s, from})
	case "elseif", "else":
		f.close(from-1, "if")
		f.open = append(f.open, openFold{"if", from})
	case "end":
		f.close(from-1, "function", "if", "do")
	case "until":
		f.close(from-1, "repeat")
	case ")":
		f.close(from-1, "(")
	case "}":
		f.close(from-1, "{")
	case "]":
		f.close(from-1, "[")
	}
}

// close folds the innermost open thing if it is one of some symbols. Brackets that nothing closes
// are forgotten.
func (f *folder) close(last int, symbols ...string) {
	for i := len(f.open) - 1; i >= 0; i-- {
		for _, s := range symbols {
			if f.open[i].symbol == s {
				f.add(f.open[i].line, last, false)
				f.open = f.open[:i]
				return
			}
		}
		if s := f.open[i].symbol; s != "(" && s != "{" && s != "[" {
			return
		}
	}
}

// add adds a fold of more than one line, unless the fold before it begins on the same line.
func (f *folder) add(from, to int, comment bool) {
	if to > from {
		f.list = append(f.list, Fold{from, to, comment})
	}
}

func (f *folder) comment(from, to int) {
	if f.started && from == f.comments.To+1 {
		f.comments.To = to
		return
	}
	f.endComments()
	f.comments, f.started = Fold{from, to, true}, true
}

func (f *folder) endComments() {
	if f.started {
		f.add(f.comments.From, f.comments.To, true)
	}
	f.started = false
}
