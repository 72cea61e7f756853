// Package flame shows what the lines of scripts have cost as a page of HTML that needs nothing
// else: a flame view, and a table of lines.
//
// The package has no state; its functions may be called from any goroutine.
package flame
