// Package indentation finds how a script is indented: by a flag, or by the files .editorconfig
// (https://editorconfig.org) of its folder and of those above it. `redmoon fmt` and `redmoon lsp`
// use it.
//
// A folder may come from anybody, so an .editorconfig file cannot make a program wait, use much
// memory, or end it.
package indentation
