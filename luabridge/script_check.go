package luabridge

import "github.com/redmoon-lua/redmoon/luabridge/luatext"

// CheckSource returns the lines of a script that have code, without running it; see [Script.Lines].
// The error is that of [VM.Compile]. A text whose first line names a library is compiled as one;
// the error is then that of [Library.Compile].
func CheckSource(source string) ([]int, error) {
	if luatext.IsLibrary(source) {
		lib, err := ParseLibrary(source)
		if err == nil {
			err = lib.Compile(CompileLimits{})
		}
		if err != nil {
			return nil, err
		}
		return lib.script.Lines(), nil
	}
	var vm *VM // Compile does not use it
	s, err := vm.Compile(source)
	if err != nil {
		return nil, err
	}
	return s.Lines(), nil
}
