package resp

import "github.com/redmoon-lua/redmoon/internal/base/quoting"

// SplitWords splits a line into words, as the server splits an inline request. In double quotes,
// \xHH, \n, \r, \t, \b and \a stand for bytes, and any other escaped byte for itself; in single
// quotes only \' is special. A NUL byte ends the line. ok is false if quotes are unbalanced.
func SplitWords(line string) (words []string, ok bool) { return quoting.Words(line) }
