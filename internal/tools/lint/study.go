package lint

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Study is what the linter knows about a text. It is for editors, which show it. It is not safe for
// concurrent use.
type Study struct{ p *pass }

// Command is a redis.call or redis.pcall whose command is a constant.
type Command struct {
	Call  *luatree.Call
	Args  []luatree.Expr // with the name of the command
	Words []string       // the arguments; those that are not constants are Unknown
	Spec  *cmdtable.Spec // the row, or nil if there is no such command
}

// Unknown stands for an argument that is not a constant.
const Unknown = unknownWord

// Study looks at a tree. Part of it may be missing, as after luatree.ParseBroken.
func (l *Linter) Study(tree *luatree.Tree) *Study {
	return &Study{newPass(l, tree, Script{Source: tree.Source})}
}

// Commands returns the calls of commands, in the order of the text.
func (s *Study) Commands() []Command {
	list := make([]Command, len(s.p.calls))
	for i, c := range s.p.calls {
		list[i] = Command{c.Call, c.args, c.words, s.p.followed(c)}
	}
	return list
}

// Library returns the field of a library, such as "redis.call", or the global that an expression
// is, through locals that never change; else "".
func (s *Study) Library(e luatree.Expr) string { return s.p.libraryField(e) }

// LocalLibrary is Library for the value of a local.
func (s *Study) LocalLibrary(l *luatree.Local) string {
	if v := s.p.value(l); v != nil {
		return s.p.libraryField(v)
	}
	return ""
}

// LocalConstant returns the text that a local always is.
func (s *Study) LocalConstant(l *luatree.Local) (text string, ok bool) {
	if v := s.p.value(l); v != nil {
		return s.p.constant(v)
	}
	return "", false
}

// Table returns the commands of the version of Redis that scripts are for.
func (l *Linter) Table() *cmdtable.Table { return l.target }

// Has reports whether the servers that scripts are for all have what came with a version.
func (l *Linter) Has(since servers.Since) bool {
	if len(l.servers) > 0 {
		return !slices.ContainsFunc(l.servers, func(s servers.Server) bool { return !s.HasSince(since) })
	}
	return since == "" || !olderThan(l.redis, ofRedis(since))
}

// Globals returns the names that the configuration declares.
func (l *Linter) Globals() map[string]bool { return l.extra }
