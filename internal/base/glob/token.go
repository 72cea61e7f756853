package glob

// IsToken reports whether arg is the keyword token (given in lower case), in any case. As with C
// strings, a NUL byte ends arg.
func IsToken(arg, token string) bool {
	if len(arg) < len(token) || len(arg) > len(token) && arg[len(token)] != 0 {
		return false
	}
	for i := 0; i < len(token); i++ {
		if Lower(arg[i]) != token[i] {
			return false
		}
	}
	return true
}
