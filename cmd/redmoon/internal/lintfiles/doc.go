// Package lintfiles runs package lint over files and folders for `redmoon lint`, repairs files, and
// prints findings as text, JSON, SARIF 2.1.0 or annotations of GitHub.
package lintfiles
