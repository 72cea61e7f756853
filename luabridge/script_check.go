package luabridge

// CheckSource returns the lines of a script that have code, without running it; see [Script.Lines].
// The error is that of [VM.Compile].
func CheckSource(source string) ([]int, error) {
	var vm *VM // Compile does not use it
	s, err := vm.Compile(source)
	if err != nil {
		return nil, err
	}
	return s.Lines(), nil
}
