package luabridge

import "github.com/redmoon-lua/redmoon/reply"

// Host is what a running script may ask of its engine.
type Host interface {
	// Call runs one command through the script door. The VM uses args again when Call returns.
	Call(args []string) reply.Value
	// SetResp chooses the protocol, 2 or 3, of the calls that follow.
	SetResp(proto int)
	// CheckACL tells whether the script's user may run a command with these arguments, and whether the
	// command exists with that many arguments.
	CheckACL(args []string) (allowed, known bool)
	// InnerError tells of an error reply that stands inside the reply of the script.
	InnerError(v reply.Value)
}
