package lint

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

// Severity says how bad a finding is.
type Severity uint8

// The severities, from the least.
const (
	Off     Severity = iota // the rule does not run
	Info                    // right today, but fragile or surprising
	Warning                 // probably a mistake
	Error                   // fails, or never does what it says
)

var severityNames = [...]string{"off", "info", "warning", "error"}

// String returns off, info, warning or error.
func (s Severity) String() string { return severityNames[s] }

// ParseSeverity finds a severity by its name.
func ParseSeverity(name string) (s Severity, ok bool) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), true
		}
	}
	return Off, false
}

// Finding is one place of a script that breaks a rule.
type Finding struct {
	Rule     string
	Severity Severity
	Message  string        // one sentence, without a full stop
	File     string        // in which it is: the path of a file of the script
	Range    luatree.Range // in the text of the file

	// The place again, as people and editors count: from 1, columns in bytes. The end is exclusive.
	Line, Column, EndLine, EndColumn int

	Fix *Fix // how to repair the place, or nil if that needs a person
}

// Fix is a repair.
type Fix struct {
	Title string
	Edits []Edit // in the order of the source; they do not overlap
	// Safe is set if the script does the same afterwards, except that errors may name other lines.
	// Other repairs give a comparison that always fails, or never holds, the meaning that it has for a
	// reader.
	Safe bool
	// OneByOne is set if only a person may choose the repair, for one place, in an editor: it removes
	// code, or stands in a text whose parts other texts use. No option makes such repairs together.
	OneByOne bool
}

// Edit replaces a part of the source.
type Edit struct {
	Range luatree.Range
	Text  string
}
