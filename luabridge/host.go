package luabridge

import "github.com/redmoon-lua/redmoon/reply"

// Host is the part of the engine that a running script can use.
type Host interface {
	// Call runs a command of a script. The VM reuses args when Call returns.
	Call(args []string) reply.Value
	// SetResp sets the protocol, 2 or 3, of the calls that follow.
	SetResp(proto int)
	// SetEffects sets who receives the effects of the calls that follow: the append-only file,
	// replicas. Both do when the script begins.
	SetEffects(file, replicas bool)
	// CheckACL reports whether the script's user may run a command with these arguments, and
	// whether the command exists with that many arguments.
	CheckACL(args []string) (allowed, known bool)
	// InnerError is called for an error reply inside the reply of the script.
	InnerError(v reply.Value)
}
