package lsp

import (
	"github.com/redmoon-lua/redmoon/internal/tools/assist"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

// isProgram reports whether a document is a program in another language, with scripts in strings.
func (snap *snapshot) isProgram() bool { return embedded.Knows(snap.path) }

// spot is a place in a script that a request is about.
type spot struct {
	*assist.Document
	at     int              // in the script's own file, or in the string
	string *embedded.Script // in which it stands; nil: the document is the script
	snap   *snapshot
}

// span returns a range of the spot's text as the protocol has it.
func (p *spot) span(from, to int) span {
	if p.string != nil {
		from, to = p.string.At(from), p.string.At(to)
	}
	return p.snap.span(from, to)
}

// inString returns the spot at an offset of a program, or nil if no script stands there.
func (s *server) inString(snap *snapshot, offset int) *spot {
	list, err := embedded.Find(snap.path, snap.text, embedded.Rules())
	if err != nil {
		s.o.Logger.Debug("scripts in strings", "uri", snap.uri, "error", err)
		return nil
	}
	for i := range list {
		script := &list[i]
		at, ok := script.Find(offset)
		if !ok { // behind the last character
			if at, ok = script.Find(offset - 1); !ok {
				continue
			}
			at++
		}
		return &spot{assist.NewDocument(s.project(snap).linter.Linter, script.Text), at, script, snap}
	}
	return nil
}
