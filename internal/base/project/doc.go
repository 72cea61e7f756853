// Package project reads redmoon.toml, the one configuration of the commands that work on scripts:
// from which files a script is made, for which servers it is, and what the linter does not report.
package project
