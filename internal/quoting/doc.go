// Package quoting cuts lines into words as Redis cuts inline requests, configuration lines and the selectors of users: at white
// space, but for what is quoted. In double quotes, \xHH, \n, \r, \t, \b and \a stand for bytes and any other escaped byte for
// itself; in single quotes only \' is special. A closing quote must end its word.
package quoting
