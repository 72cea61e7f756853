package globals

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
)

// Environment describes the globals of all servers to the machine.
func Environment() *machine.Environment {
	e := &machine.Environment{NewGlobal: newGlobal, Fields: map[string]map[string]string{}}
	names.AllFields(func(library, field string) {
		if e.Fields[library] == nil {
			e.Fields[library] = map[string]string{}
		}
		e.Fields[library][field] = alias(library, field)
	})
	return e
}
