// Package formats prints coverage reports: as a table, for lcov, Cobertura and the tools of Go, and
// as a page of HTML that needs nothing else.
//
// Go's profile has blocks, not lines: each line with code is a block that contains all of it.
package formats
