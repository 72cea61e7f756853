package resp

import "github.com/redmoon-lua/redmoon/internal/quoting"

// SplitWords cuts a line into words as an inline request is cut. In double quotes, \xHH, \n, \r, \t, \b and \a stand
// for bytes and any other escaped byte for itself; in single quotes only \' is special. It reports false for quotes that do
// not balance. A NUL byte ends the line.
func SplitWords(line string) (words []string, ok bool) { return quoting.Words(line) }
