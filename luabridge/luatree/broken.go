package luatree

import (
	"errors"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// Limits of the repairs of one text.
const (
	maxRepairs     = 60
	maxRepairBytes = 12 << 20 // of all the texts that are parsed
)

// ParseBroken parses a text that may have syntax errors, such as one that is being typed. It
// returns the tree of the text without what does not fit: an error removes the statement around it,
// and what is not closed is closed at the end. Offsets count from the begin of source, but ranges
// at its end may end behind it. The comments are all there; Source is the text that was parsed.
//
// The result is nil if the text has too many errors.
func ParseBroken(source string) *Tree {
	r := &repair{text: []byte(source), source: source}
	if strings.HasPrefix(source, "#!") {
		r.shebang = Range{0, lineEnd(source, 0)}
		r.blank(0, r.shebang.To)
	}
	var comments []Comment
	for _, t := range Tokens(source) {
		switch t.Kind {
		case InvalidToken:
			r.blank(t.From, t.To)
		case CommentToken:
			comments = append(comments, commentOf(source, t.Range))
		}
	}
	parsed := 0
	for range maxRepairs {
		if parsed += len(r.text); parsed > maxRepairBytes {
			return nil
		}
		text := string(r.text)
		tree := NewTree(text)
		tree.Shebang = r.shebang
		p := newParser(text, tree)
		err := p.run()
		if err == nil {
			tree.Comments = comments
			return tree
		}
		if !r.mend(p, err) {
			return nil
		}
	}
	return nil
}

// repair is a text that loses its errors.
type repair struct {
	source  string
	text    []byte
	shebang Range
}

// blank replaces a part of the text with spaces. Line breaks stay.
func (r *repair) blank(from, to int) {
	for i := from; i < to; i++ {
		if r.text[i] != '\n' && r.text[i] != '\r' {
			r.text[i] = ' '
		}
	}
}

// mend removes the cause of an error, and reports whether that was possible.
func (r *repair) mend(p *parser, err error) bool {
	var syntaxError *syntax.Error
	if !errors.As(err, &syntaxError) {
		return false
	}
	if p.Kind == syntax.EOS {
		return r.atEnd(p, syntaxError.Text)
	}
	from, to := p.stmt, p.To
	if from < 0 || from > p.From {
		from = p.From
	}
	if from < p.From && (startsStatement(p.Kind) || closesBlock(p.Kind) || p.Line > p.Last) {
		to = p.From // the token belongs to what follows
	}
	if from == to {
		to = p.To
	}
	if from == to {
		return false
	}
	header := p.stmt >= 0 && p.header == p.stmt && to-from >= len("do")
	r.blank(from, to)
	if header { // the block stays, so that its end has a beginning
		copy(r.text[from:], "do")
	}
	return true
}

// atEnd handles an error at the end of the text: it closes what is open, or removes the last
// statement.
func (r *repair) atEnd(p *parser, message string) bool {
	for _, closing := range []string{"end", "until", ")", "}", "]"} {
		if strings.Contains(message, "'"+closing+"' expected") {
			r.text = append(r.text, " "+closing...)
			if closing == "until" {
				r.text = append(r.text, " nil"...)
			}
			return true
		}
	}
	if p.stmt < 0 || p.stmt >= len(r.text) {
		return false
	}
	header := p.header == p.stmt && len(r.text)-p.stmt >= len("do")
	r.blank(p.stmt, len(r.text))
	if header {
		copy(r.text[p.stmt:], "do")
	}
	return true
}

// startsStatement reports whether a token can only begin a statement.
func startsStatement(k syntax.Kind) bool {
	switch k {
	case syntax.Break, syntax.For, syntax.If, syntax.Local, syntax.Repeat, syntax.Return, syntax.While:
		return true
	}
	return false
}

func closesBlock(k syntax.Kind) bool {
	switch k {
	case syntax.Else, syntax.Elseif, syntax.End, syntax.Until:
		return true
	}
	return false
}
