package server

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// Commands are what servers of one version of Redis run: the rows of commands with their handlers.
// They are immutable and shared by all servers.
type Commands struct {
	Rows *cmdtable.Table

	// The indexes of these are Spec.ID.
	handlers []Handler                // nil: the command never runs
	checks   [][cmdtable.Doors]uint32 // for each door, the checks of the gate that the command needs
}

// NewCommands binds handlers to rows by the full names of the commands. It panics if a row lacks
// its handler, or has one that never runs. Handlers of later versions may lack rows.
func NewCommands(rows *cmdtable.Table, handlers map[string]Handler) *Commands {
	c := &Commands{Rows: rows, handlers: make([]Handler, rows.Len()), checks: make([][cmdtable.Doors]uint32, rows.Len())}
	for _, spec := range rows.All {
		h := handlers[spec.FullName()]
		if (h != nil) != spec.HasHandler() {
			panic(fmt.Sprintf("the row of %s and its handler do not fit together", spec.FullName()))
		}
		c.handlers[spec.ID] = h
		for door := range c.checks[spec.ID] {
			for i, check := range checks {
				if check.doors>>door&1 != 0 && (check.rows == nil || check.rows(spec)) {
					c.checks[spec.ID][door] |= 1 << i
				}
			}
		}
	}
	return c
}
