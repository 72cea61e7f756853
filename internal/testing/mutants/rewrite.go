package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// switchName is the name under which rewritten files import the switch.
const switchName = "xmutant"

// A mutant is a chosen place.
type mutant struct {
	*place
	id          int
	first, last int // lines of the rewritten file
}

// rewrite puts the mutants of a file, which do not overlap, into its text. at is the offset behind
// the package clause.
func rewrite(text []byte, at int, importPath string, mutants []*mutant) []byte {
	slices.SortFunc(mutants, func(a, b *mutant) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	out.Write(text[:at])
	fmt.Fprintf(&out, "; import %s %q", switchName, importPath) // on the same line: the others keep their numbers
	line := func() int { return bytes.Count(out.Bytes(), []byte("\n")) + 1 }
	done := at
	for _, m := range mutants {
		out.Write(text[done:m.start])
		m.first = line()
		out.WriteString(m.code(text))
		m.last = line()
		done = m.end
	}
	out.Write(text[done:])
	return out.Bytes()
}

// code returns what stands in the rewritten file for the expression or statement. Only one of the
// two variants is evaluated.
func (m *mutant) code(text []byte) string {
	original := string(text[m.start:m.end])
	changed := apply(text, m.start, m.end, append(m.group, m.token))
	on := fmt.Sprintf("%s.On(%d)", switchName, m.id)
	switch m.form {
	case condition:
		return fmt.Sprintf("(%s && (%s) || !%s && (%s))", on, changed, on, original)
	case value:
		return fmt.Sprintf("func() %s { if %s { return %s }; return %s }()", m.typ, on, changed, original)
	case statement:
		return fmt.Sprintf("if %s { %s } else { %s }", on, changed, original)
	default:
		return fmt.Sprintf("func() { if %s { %s } else { %s } }()", on, changed, original)
	}
}

// apply returns a piece of a text with the edits in it.
func apply(text []byte, start, end int, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	for _, e := range edits {
		out.Write(text[start:e.start])
		out.WriteString(e.text)
		start = e.end
	}
	out.Write(text[start:end])
	return out.String()
}
