package luatree

import (
	"sort"
	"strings"
)

// Range is a part of the source, in bytes. To is exclusive.
type Range struct{ From, To int }

// Span returns r itself. Nodes get their Span method from it.
func (r Range) Span() Range { return r }

// Contains reports whether the byte at an offset belongs to r.
func (r Range) Contains(offset int) bool { return r.From <= offset && offset < r.To }

// Node is a statement or an expression.
type Node interface {
	// Span returns the range from the first byte of the node's first token to the end of its last
	// one.
	Span() Range
}

// Tree is a parsed text.
type Tree struct {
	Source   string
	Shebang  Range // the first line if it begins with "#!", without its line break; else empty
	Main     *Function
	Comments []Comment // in the order of the source
	Locals   []*Local  // all of them, in the order in which they are declared
	Globals  []*Name   // all uses of globals, in the order of the source

	lines []int // offsets at which the lines begin
}

// Comment is a comment, with its dashes.
type Comment struct {
	Range
	Long bool // written in long brackets
}

// Local is a local variable or a parameter.
type Local struct {
	Range // of the name in its declaration; empty for "self" and "arg", which have none
	Name  string
	Kind  Declaration
	Scope Range     // where the name means this variable
	Owner *Function // the function whose variable it is
	Uses  []*Name   // every read and assignment after the declaration, in the order of the source
	Outer *Local    // the variable of the same name that it hides, or nil
	Stmt  Node      // the statement or the *Function that declares it
	Index int       // its place in the declaration, from 0
}

// Declaration is how a local is declared.
type Declaration uint8

// The declarations.
const (
	ByLocal    Declaration = iota // local x
	ByFunction                    // local function x
	ByFor                         // the variable of a loop
	Parameter                     // a parameter, "self" and "arg" included
)

// NewTree returns a tree without nodes for a text that need not be Lua. It converts offsets.
func NewTree(source string) *Tree { return &Tree{Source: source, lines: lineStarts(source)} }

// Text returns the source of a range.
func (t *Tree) Text(r Range) string { return t.Source[r.From:r.To] }

// Position returns the line and the column of an offset. Both count from 1; columns are bytes.
func (t *Tree) Position(offset int) (line, column int) {
	line = sort.SearchInts(t.lines, offset+1)
	return line, offset - t.lines[line-1] + 1
}

// Line returns the range of a line, which counts from 1, without its line break.
func (t *Tree) Line(line int) Range {
	from, to := t.lines[line-1], len(t.Source)
	if line < len(t.lines) {
		to = t.lines[line]
	}
	text := strings.TrimRight(t.Source[from:to], "\r\n")
	return Range{from, from + len(text)}
}

// Lines returns the number of lines.
func (t *Tree) Lines() int { return len(t.lines) }

// lineStarts returns the offsets at which lines begin. As in Lua, a line break is one or two bytes.
func lineStarts(source string) []int {
	starts := []int{0}
	for i := 0; i < len(source); {
		n := strings.IndexAny(source[i:], "\n\r")
		if n < 0 {
			break
		}
		i += n + 1
		if i < len(source) && source[i] != source[i-1] && (source[i] == '\n' || source[i] == '\r') {
			i++
		}
		starts = append(starts, i)
	}
	return starts
}
