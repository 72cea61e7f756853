// Package profile writes what the lines of scripts have cost in the format of pprof. Package
// internal/core/profile/flame shows the same as a page.
//
// The package has no state; its functions may be called from any goroutine.
package profile
