package server

import (
	"unsafe"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// names are the commands by the names that clients use.
type names struct {
	Follows  servers.Server
	Table    *cmdtable.Table // the commands of the version of Redis
	renamed  *cmdtable.Table // commands with the names of the configuration file; nil: no file
	resolved [64]struct {
		name string // kept, so that its address stays unique
		spec *cmdtable.Spec
	}
}

// resolve is Table.Resolve with a cache. A name in a script or program is the same string each
// time, so its address identifies it without hashing.
func (n *names) resolve(args []string) *cmdtable.Spec {
	name := args[0]
	data := unsafe.StringData(name)
	slot := &n.resolved[uintptr(unsafe.Pointer(data))>>3%uintptr(len(n.resolved))]
	if unsafe.StringData(slot.name) == data && len(slot.name) == len(name) && slot.spec != nil {
		return slot.spec
	}
	spec := n.Table.Resolve(args)
	if spec != nil && spec.Parent == nil && len(spec.Subs) == 0 {
		slot.name, slot.spec = name, spec // only names of commands are cached, so they are short
	}
	return spec
}

// UseNames puts the names that rename-command has given into effect.
func (n Control) UseNames() {
	if n.renamed != nil && n.renamed.Server() == n.Follows {
		n.use(n.renamed)
	}
}

// use makes the names of t those of the commands.
func (n *names) use(t *cmdtable.Table) {
	n.Table = t
	clear(n.resolved[:])
}
