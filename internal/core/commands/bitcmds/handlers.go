package bitcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"setbit":      setbit,
		"getbit":      getbit,
		"bitcount":    bitcount,
		"bitpos":      bitpos,
		"bitop":       bitop,
		"bitfield":    bitfield,
		"bitfield_ro": bitfieldRO,
		"pfadd":       pfadd,
		"pfcount":     pfcount,
		"pfmerge":     pfmerge,
		"pfdebug":     pfdebug,
		"pfselftest":  pfselftest,
	}
}
