// Package luatext reads the texts of scripts and of function libraries without running them, for
// tools: linters, formatters, editors.
//
// It knows what the first line of a text declares, whether the text compiles, and the names of the
// globals. Package luabridge, which runs the texts, takes these rules from here. The errors are
// Redis's. Package luatree builds syntax trees of the same texts.
//
// The package has no state, and any number of goroutines may use it.
package luatext
