package embedded

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Script is a script in a string of a program.
type Script struct {
	// Name is the path, "#", and the nearest function, constant or command that the string belongs
	// to. A second one of this name ends in "#2".
	Name string
	// Path is the path of the file.
	Path string
	// Rule is the ID of the rule by which it was found.
	Rule string
	// Text is the script: without escapes, quotes and margins, and with a text that stands for each
	// hole.
	Text string
	// Holes are what the program inserts, in the order of Text.
	Holes []Hole
	// Changed says that the program changes the text in a way that is not known, for example with a
	// function replace, before it sends it.
	Changed bool
	// From and To are the range in the file from the beginning of the first literal to the end of the
	// last one that is part of the script, in bytes.
	From, To int

	file   string
	pieces []piece
	rules  []Rule
}

// HoleKind says where in a script a hole stands.
type HoleKind uint8

const (
	// ValueHole stands where an expression, or a part of a name, can stand. Its text is a name:
	// __hole1.
	ValueHole HoleKind = iota
	// TextHole stands in a string or a comment. Its text is __hole1.
	TextHole
	// StatementHole stands where statements can stand. It may declare names. Its text is a comment:
	// --[[__hole1]].
	StatementHole
)

func (k HoleKind) String() string { return []string{"value", "text", "statements"}[k] }

// Hole is a place of a script at which the program inserts something.
type Hole struct {
	Offset, Size int // in Script.Text
	Kind         HoleKind
	From, To     int // in the file
}

// SHA1 returns the digest by which EVALSHA calls the script: 40 digits of lower case. It is the one
// of the text that is sent if there are no holes and it is not Changed.
func (s *Script) SHA1() string {
	sum := sha1.Sum([]byte(s.Text))
	return hex.EncodeToString(sum[:])
}

// Exact reports whether Text is what the program sends.
func (s *Script) Exact() bool { return len(s.Holes) == 0 && !s.Changed }

// At returns the offset in the file of the byte at an offset of Text. Offsets below 0 and behind
// the end count as the ends. The bytes of a hole or an escape have the place at which it begins.
func (s *Script) At(offset int) int {
	i := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].at > offset }) - 1
	for i > 0 && s.pieces[i].kind == fixedPiece {
		i--
	}
	if i < 0 {
		return s.From
	}
	p := s.pieces[i]
	switch over := offset - p.at; {
	case p.kind == fixedPiece:
		return s.From
	case p.kind == plainPiece:
		return p.from + min(over, len(p.text))
	case over >= len(p.text):
		return p.to
	}
	return p.from
}

// Find returns the offset in Text of what stands at an offset of the file. It returns false if no
// part of the script stands there.
func (s *Script) Find(offset int) (int, bool) {
	for _, p := range s.pieces {
		if p.kind != fixedPiece && p.from <= offset && offset < p.to {
			if p.kind == plainPiece {
				return p.at + offset - p.from, true
			}
			return p.at, true
		}
	}
	return 0, false
}

// Line returns the line and the column, in bytes, of an offset of the file. Both count from 1.
func (s *Script) Line(offset int) (line, column int) {
	before := s.file[:max(0, min(offset, len(s.file)))]
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
}

// scripts makes scripts of what was found.
func (f *finder) scripts(path string, rules []Rule) []Script {
	if len(f.found) == 0 {
		return nil
	}
	owners := f.owners()
	var list []Script
	for _, c := range f.found {
		s := Script{Path: path, Rule: c.rule.ID, Changed: c.changed, From: len(f.text), file: f.text, rules: rules}
		s.Text, s.pieces, s.Holes = assemble(c.pieces)
		for _, p := range s.pieces {
			if p.lit != nil {
				s.From, s.To = min(s.From, p.lit.from), max(s.To, p.lit.to)
				if p.lit.bodyTo > p.lit.to {
					s.To = max(s.To, p.lit.bodyTo)
				}
			}
		}
		s.Name = c.name
		if s.Name == "" {
			s.Name = f.name(c, owners)
		}
		list = append(list, s)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].From < list[j].From })
	count := map[string]int{}
	for i := range list {
		s := &list[i]
		count[s.Name]++
		if n := count[s.Name]; n > 1 {
			s.Name += fmt.Sprintf("#%d", n)
		}
		s.Name = filepath.ToSlash(path) + "#" + s.Name
	}
	return list
}

// assemble makes a text of pieces, and chooses what stands for the holes.
func assemble(pieces []piece) (string, []piece, []Hole) {
	text, own, holes := put(pieces, nil)
	if len(holes) == 0 {
		return text, own, holes
	}
	kinds := make([]HoleKind, len(holes))
	tokens := luatree.Tokens(text)
	for i, h := range holes {
		n := sort.Search(len(tokens), func(n int) bool { return tokens[n].To > h.Offset })
		if n < len(tokens) && tokens[n].From <= h.Offset &&
			(tokens[n].Kind == luatree.StringToken || tokens[n].Kind == luatree.CommentToken) {
			kinds[i] = TextHole
		}
	}
	if _, err := luatree.Parse(text); err != nil {
		return withStatements(pieces, text, holes, kinds)
	}
	return put(pieces, kinds)
}

// withStatements takes holes at the beginnings of lines as statements if the text compiles so, and
// otherwise only those that have a line of their own.
func withStatements(pieces []piece, text string, holes []Hole, kinds []HoleKind) (string, []piece, []Hole) {
	all, alone := append([]HoleKind(nil), kinds...), append([]HoleKind(nil), kinds...)
	for i, h := range holes {
		before, after := text[:h.Offset], text[h.Offset+h.Size:]
		line := before[strings.LastIndexByte(before, '\n')+1:]
		if kinds[i] != ValueHole || wantsValue(before) || strings.Trim(line, " \t\r;") != "" {
			continue
		}
		all[i] = StatementHole
		if strings.Trim(after[:lineLength(after)], " \t\r;") == "" {
			alone[i] = StatementHole
		}
	}
	whole, own, list := put(pieces, all)
	if _, err := luatree.Parse(whole); err == nil {
		return whole, own, list
	}
	return put(pieces, alone)
}

// wantsValue reports whether an expression must follow a text.
func wantsValue(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	for _, end := range []string{"=", "(", ",", "{", "[", "..", "+", "-", "*", "/", "<", ">", "and", "or", "not", "return", "in"} {
		if strings.HasSuffix(before, end) {
			return true
		}
	}
	return false
}

// put makes a text of pieces. Holes have the kinds given, or else that of a value.
func put(pieces []piece, kinds []HoleKind) (string, []piece, []Hole) {
	var out strings.Builder
	var holes []Hole
	own := make([]piece, 0, len(pieces))
	for _, p := range pieces {
		if p.kind == plainPiece && p.text == "" {
			continue
		}
		p.at = out.Len()
		if p.kind == holePiece {
			n := len(holes)
			p.text = fmt.Sprintf("__hole%d", n+1)
			h := Hole{Offset: p.at, From: p.from, To: p.to}
			if kinds != nil {
				h.Kind = kinds[n]
			}
			if h.Kind == StatementHole {
				p.text = "--[[" + p.text + "]]"
			}
			h.Size = len(p.text)
			holes = append(holes, h)
		}
		out.WriteString(p.text)
		own = append(own, p)
	}
	return out.String(), own, holes
}
