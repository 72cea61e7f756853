package persistence

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Rows declares SAVE, BGSAVE, BGREWRITEAOF and LASTSAVE.
func Rows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "save", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading | cmdtable.NoMulti,
			Since: "1.0.0", Group: "server", Complexity: "O(N) for N keys",
			Summary: "Writes the data set to a file",
			Handler: save,
		},
		{
			Name: "bgsave", Arity: -1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Writes the data set to a file in the background",
			Syntax:  `[SCHEDULE>3.2.2]`,
			Handler: bgsave,
		},
		{
			Name: "bgrewriteaof", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Rewrites the append-only file in the background",
			Handler: bgrewriteaof,
		},
		{
			Name: "lastsave", Arity: 1, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatAdmin | cmdtable.CatDangerous,
			Tips:  []string{"nondeterministic_output"},
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Returns when the data set was last saved, as a Unix time",
			Handler: lastsave,
		},
	}
}

func save(c *server.Ctx) reply.Value {
	if c.Server.Persistence == nil {
		return reply.Err(errtext.NoFiles)
	}
	return c.Server.Persistence.Save()
}

func bgsave(c *server.Ctx) reply.Value {
	if c.NArg() > 2 || c.NArg() == 2 && !parse.IsToken(c.Args[1], "schedule") {
		return reply.Err(errtext.Syntax)
	}
	if c.Server.Persistence == nil {
		return reply.Err(errtext.NoFiles)
	}
	return c.Server.Persistence.BackgroundSave(c.Session.InExec, c.NArg() == 2)
}

func bgrewriteaof(c *server.Ctx) reply.Value {
	if c.Server.Persistence == nil {
		return reply.Err(errtext.NoFiles)
	}
	return c.Server.Persistence.Rewrite(c.Session.InExec)
}

// lastsave returns the time of the last save. Before the first, and without files, that is the time
// of the start.
func lastsave(c *server.Ctx) reply.Value {
	if c.Server.Persistence == nil {
		return reply.Int(c.Server.Stats.StartMicros / 1e6)
	}
	return reply.Int(c.Server.Persistence.LastSave())
}
