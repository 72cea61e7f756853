// Package assert gives Lua tests the assertions of luassert, the library of busted: assert with its
// modifiers and chains, spies, stubs and matchers.
//
// A chain such as assert.is_not.equal is cut into words. Words are joined to the longest names that
// exist: modifiers, which change what follows, and one assertion. The call runs the assertion,
// which raises a [Failure] if it does not hold, and otherwise returns its arguments.
//
// A [Library] belongs to one [luabridge.Tool].
package assert
