package lintfiles

import (
	"fmt"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// InStrings returns the findings in the scripts that stand in strings of a program. name is what
// the findings call its file.
func InStrings(l *lint.Linter, path, name, text string) ([]lint.Finding, error) {
	scripts, err := embedded.Find(path, text, embedded.Rules())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var list []lint.Finding
	for i := range scripts {
		s := &scripts[i]
		for _, x := range l.Lint(lint.Script{Source: s.Text}) {
			if !mayBeWrong(s, x) {
				list = append(list, placeInFile(name, s, x))
			}
		}
	}
	return list, nil
}

// mayBeWrong reports whether a finding is about something that only the running program knows.
func mayBeWrong(s *embedded.Script, f lint.Finding) bool {
	if s.Exact() {
		return false
	}
	if f.Rule == "syntax-error" || s.Changed {
		return true
	}
	return slices.ContainsFunc(s.Holes, func(h embedded.Hole) bool {
		if h.Kind == embedded.StatementHole && (f.Rule == "undeclared-global" || f.Rule == "unused-local") {
			return true // the inserted statements may declare or read the name
		}
		return f.Range.From < h.Offset+h.Size && h.Offset < f.Range.To
	})
}

// placeInFile returns a finding with its place in the file. Repairs are left to a person.
func placeInFile(name string, s *embedded.Script, f lint.Finding) lint.Finding {
	f.File, f.Fix = name, nil
	f.Range = luatree.Range{From: s.At(f.Range.From), To: s.At(f.Range.To)}
	f.Range.To = max(f.Range.From, f.Range.To)
	f.Line, f.Column = s.Line(f.Range.From)
	f.EndLine, f.EndColumn = s.Line(f.Range.To)
	return f
}
