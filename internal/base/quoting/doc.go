// Package quoting splits lines into words as Redis splits inline requests, configuration lines and
// ACL selectors: at white space outside quotes. In double quotes, \xHH, \n, \r, \t, \b and \a stand
// for bytes, and any other escaped byte for itself; in single quotes only \' is special. A closing
// quote must end its word.
package quoting
