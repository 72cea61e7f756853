package globals

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
)

// Environment describes the globals to the machine.
func Environment() *machine.Environment {
	e := &machine.Environment{NewGlobal: newGlobal, Fields: map[string]map[string]string{}}
	for library, fields := range names.Libraries() {
		e.Fields[library] = map[string]string{}
		for _, field := range fields {
			e.Fields[library][field] = alias(library, field)
		}
	}
	return e
}
