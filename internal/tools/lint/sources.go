package lint

import (
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// sources is the files of a script.
type sources struct {
	files *bundle.Bundle
	trees map[int]*luatree.Tree // by the index of the file; they have no nodes
}

func newSources(s Script) *sources {
	if s.Files == nil {
		s.Files = bundle.Whole("", s.Source)
	}
	return &sources{s.Files, map[int]*luatree.Tree{}}
}

// positions returns the text of a file, for the positions in it.
func (x *sources) positions(file int) *luatree.Tree {
	t := x.trees[file]
	if t == nil {
		t = luatree.NewTree(x.files.Texts()[file])
		x.trees[file] = t
	}
	return t
}

// where returns the file of a part of the script and the range there, and whether the file has
// just these bytes there.
func (x *sources) where(r luatree.Range) (file int, at luatree.Range, exact bool) {
	file, at.From, at.To, exact = x.files.Part(r.From, r.To)
	return file, at, exact
}

// findingAt returns a finding that has the place of a part of the script, and nothing else.
func (x *sources) findingAt(r luatree.Range) Finding {
	file, at, _ := x.where(r)
	return x.findingIn(file, at)
}

// findingIn returns a finding that has a place in a file, and nothing else.
func (x *sources) findingIn(file int, at luatree.Range) Finding {
	f := Finding{File: x.files.Files[file], Range: at}
	f.Line, f.Column = x.positions(file).Position(at.From)
	f.EndLine, f.EndColumn = x.positions(file).Position(at.To)
	return f
}

// place is where something stands in the files of a script.
type place struct {
	file int
	text string
}

// placed returns a text together with the file of an offset of the script.
func (x *sources) placed(offset int, text string) place { return place{x.files.FileAt(offset), text} }
