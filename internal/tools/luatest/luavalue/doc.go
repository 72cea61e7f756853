// Package luavalue compares the Lua values of tests, and shows them and their differences to
// people. [Equal] compares values as assert.same does. [Diff] compares what people see of them,
// line by line, with package textdiff.
//
// Values may contain themselves, and may be large and deeply nested. What is shown is cut; a
// comparison of tables that nest too deeply is an error.
package luavalue
