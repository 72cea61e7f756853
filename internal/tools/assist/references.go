package assist

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Use is a place at which a variable is declared, read or assigned.
type Use struct {
	Location
	Write bool // declared or assigned
}

// binding returns the local that is declared or used at an offset of the script, or else the name
// of a global there.
func (d *Document) binding(at int) (*luatree.Local, *luatree.Name) {
	if d.tree == nil {
		return nil, nil
	}
	at = d.inScript(at)
	hit := func(r Range) bool { return r.From <= at && at <= r.To && r.To > r.From }
	for _, l := range d.tree.Locals {
		if hit(l.Range) {
			return l, nil
		}
		if i := sort.Search(len(l.Uses), func(i int) bool { return l.Uses[i].To >= at }); i < len(l.Uses) && hit(l.Uses[i].Range) {
			return l, l.Uses[i]
		}
	}
	globals := d.tree.Globals
	if i := sort.Search(len(globals), func(i int) bool { return globals[i].To >= at }); i < len(globals) && hit(globals[i].Range) {
		return nil, globals[i]
	}
	return nil, nil
}

// Definition returns where the local at an offset is declared, or nil.
func (d *Document) Definition(at int) *Location {
	d.begin()
	defer d.end()
	l, _ := d.binding(at)
	if l == nil || l.Range == (Range{}) {
		return nil
	}
	place := d.locate(l.Range)
	return &place
}

// References returns all places of the variable at an offset, in the order of the text. Globals
// have no declaration.
func (d *Document) References(at int, declaration bool) []Use {
	d.begin()
	defer d.end()
	return d.uses(at, declaration)
}

func (d *Document) uses(at int, declaration bool) (list []Use) {
	l, global := d.binding(at)
	switch {
	case l != nil:
		if declaration && l.Range != (Range{}) {
			list = append(list, Use{d.locate(l.Range), true})
		}
		for _, u := range l.Uses {
			list = append(list, Use{d.locate(u.Range), u.Write})
		}
	case global != nil:
		for _, u := range d.tree.Globals {
			if u.Text == global.Text {
				list = append(list, Use{d.locate(u.Range), u.Write})
			}
		}
	}
	return list
}

// Highlights returns the places of the variable at an offset that lie in the file itself.
func (d *Document) Highlights(at int) []Use {
	return slices.DeleteFunc(d.References(at, true), func(u Use) bool { return u.File != "" })
}

// Errors of Renameable and Rename.
var (
	ErrBroken   = errors.New("the script has a syntax error")
	ErrNoLocal  = errors.New("only local variables and parameters can be renamed")
	ErrImplicit = errors.New("the name is given by Lua")
	ErrShared   = errors.New("other scripts use the variable: this file stands in front of them")
)

// Renameable returns the range of the local at an offset if it can be renamed.
func (d *Document) Renameable(at int) (Range, error) {
	d.begin()
	defer d.end()
	l, use, err := d.renameable(at)
	if err != nil {
		return Range{}, err
	}
	r := l.Range
	if use != nil {
		r = use.Range
	}
	return d.locate(r).Range, nil
}

func (d *Document) renameable(at int) (*luatree.Local, *luatree.Name, error) {
	if !d.whole {
		return nil, nil, ErrBroken
	}
	l, use := d.binding(at)
	switch {
	case l == nil:
		return nil, nil, ErrNoLocal
	case l.Range == (Range{}):
		return nil, nil, ErrImplicit
	}
	if d.IsPart && l.Owner == d.tree.Main && l.Scope.To >= len(d.tree.Source) {
		return nil, nil, ErrShared
	}
	return l, use, nil
}

// Rename returns the places to be replaced so that the local at an offset has another name: first
// its declaration, and then in the order of the script. The error says why that is not possible:
// for example, a name would then mean another variable.
func (d *Document) Rename(at int, name string) ([]Location, error) {
	d.begin()
	defer d.end()
	l, _, err := d.renameable(at)
	if err != nil {
		return nil, err
	}
	if !isName(name) {
		return nil, fmt.Errorf("%q is not a name", name)
	}
	ranges := []Range{l.Range}
	for _, u := range l.Uses {
		ranges = append(ranges, u.Range)
	}
	slices.SortFunc(ranges[1:], func(a, b Range) int { return a.From - b.From })
	var list []Location
	for _, r := range ranges {
		place := d.locate(r)
		if !slices.Contains(list, place) { // a file may be in the script several times
			list = append(list, place)
		}
	}
	if name != l.Name {
		if err := d.sameBindings(ranges, name); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// sameBindings parses the script with another name in some places, and returns an error if a name
// then belongs to another variable.
func (d *Document) sameBindings(places []Range, name string) error {
	places = slices.SortedFunc(slices.Values(places), func(a, b Range) int { return a.From - b.From })
	var b []byte
	done := 0
	source := d.tree.Source
	for _, r := range places {
		b = append(append(b, source[done:r.From]...), name...)
		done = r.To
	}
	after, err := luatree.Parse(string(append(b, source[done:]...)))
	if err != nil {
		return err
	}
	was, is := bindings(d.tree), bindings(after)
	for i := range was {
		if was[i].local != is[i].local {
			at := d.script.At(was[i].at)
			where := ""
			if at.File != d.name {
				where = at.File + ", "
			}
			return fmt.Errorf("%sline %d: %s would mean another variable", where, at.Line, is[i].text)
		}
	}
	return nil
}

// bound is a name with the number of the local that it means.
type bound struct {
	at    int
	text  string
	local int // -1: a global
}

// bindings returns all names of a tree, in the order of the text.
func bindings(t *luatree.Tree) []bound {
	var list []bound
	for i, l := range t.Locals {
		for _, u := range l.Uses {
			list = append(list, bound{u.From, u.Text, i})
		}
	}
	for _, g := range t.Globals {
		list = append(list, bound{g.From, g.Text, -1})
	}
	slices.SortFunc(list, func(a, b bound) int { return a.at - b.at })
	return list
}
