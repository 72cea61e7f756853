package luabridge

import "github.com/redmoon-lua/redmoon/luabridge/luatext"

// GlobalNames is [luatext.GlobalNames].
func GlobalNames() []string { return luatext.GlobalNames() }

// LibraryFields is [luatext.LibraryFields].
func LibraryFields(library string) []string { return luatext.LibraryFields(library) }

// ScriptFlags is [luatext.ScriptFlags].
func ScriptFlags(source string) Flags { return luatext.ScriptFlags(source) }

// IsLibrary is [luatext.IsLibrary].
func IsLibrary(source string) bool { return luatext.IsLibrary(source) }

// CheckText is [luatext.Check].
func CheckText(source string) error { return luatext.Check(source) }

// SameCode is [luatext.SameCode].
func SameCode(a, b string) bool { return luatext.SameCode(a, b) }
