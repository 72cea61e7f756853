package display

import "github.com/redmoon-lua/redmoon/engine"

// Standard appends v as redis-cli prints it on a terminal, with a line break at the end.
func Standard(b []byte, v engine.Value) []byte {
	if v.Kind() == engine.KindNone {
		return b
	}
	return append(append(b, v.String()...), '\n')
}
