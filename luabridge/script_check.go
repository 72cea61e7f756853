package luabridge

// CheckSource are the lines of a script that have code, see [Script.Lines], without running it. The error is that of [VM.Compile].
func CheckSource(source string) ([]int, error) {
	var vm *VM // Compile uses none of it
	s, err := vm.Compile(source)
	if err != nil {
		return nil, err
	}
	return s.Lines(), nil
}
