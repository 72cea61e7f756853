// Package profile writes what the lines of scripts have cost: for pprof, and as a page of HTML with
// a flame view that needs nothing else.
//
// The package has no state; its functions may be called from any goroutine.
package profile
