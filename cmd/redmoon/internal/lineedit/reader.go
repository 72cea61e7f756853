package lineedit

import "errors"

// ErrInterrupt is returned by a Reader for a line that the user has discarded with Ctrl-C.
var ErrInterrupt = errors.New("interrupted")

// Reader reads the lines of the dialogue.
type Reader interface {
	// ReadLine returns the next line without its end. It returns [ErrInterrupt] for a line that was
	// discarded, and io.EOF after the last one. A line contains line breaks if a.Finished asks for
	// more.
	ReadLine(a Assistant) (string, error)
	// Wake makes a waiting ReadLine call a.News soon. Any goroutine may call it.
	Wake()
}

// Assistant helps a Reader while a line is typed. Its methods are called on the goroutine of
// ReadLine.
type Assistant interface {
	// Prompt returns the text before the line.
	Prompt() string
	// News returns text to show above the prompt, or "". The prompt may differ afterwards.
	News() string
	// Finished reports whether a line is complete.
	Finished(line string) bool
	// Complete returns candidates for the end of a line, and the prefix of them that has been
	// typed.
	Complete(line string) (candidates []Candidate, prefix string)
	// Hint returns text that may follow a line.
	Hint(line string) string
	// Colour returns the line with colours.
	Colour(line string) string
}

// Candidate is a possible completion of a word.
type Candidate struct {
	Value string
	Help  string // a few words, or ""
}
