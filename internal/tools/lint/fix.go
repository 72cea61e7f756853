package lint

import "strings"

// Apply makes the repairs of some findings, which must be those of source and in the order of the
// text. It returns the repaired text and the number of repairs. A repair that overlaps the one
// before is left out.
func Apply(source string, found []Finding) (text string, n int) {
	var b strings.Builder
	done := 0
	for _, f := range found {
		if f.Fix == nil || f.Fix.Edits[0].Range.From < done {
			continue
		}
		for _, e := range f.Fix.Edits {
			b.WriteString(source[done:e.Range.From])
			b.WriteString(e.Text)
			done = e.Range.To
		}
		n++
	}
	b.WriteString(source[done:])
	return b.String(), n
}
