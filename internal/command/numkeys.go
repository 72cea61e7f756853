package command

import "github.com/redmoon-lua/redmoon/internal/reply"

// parseNumKeys reads the number of keys of commands such as SINTERCARD and LMPOP: 1 or more. Whether
// so many keys follow is the caller's to check, because each family has its own error for it.
func parseNumKeys(arg string) (n int64, ok bool) {
	n, ok = parseInt(arg)
	return n, ok && n > 0
}

// mpopArgs are the arguments of LMPOP, ZMPOP and their blocking relatives.
type mpopArgs struct {
	keys  []string
	last  bool // pop from the end that the second token names
	count int64
}

// parseMpop reads numkeys key ... first|last [COUNT count], where first and last are the lower-case
// tokens for the two ends. When ok is false the reply is the error.
func parseMpop(args []string, first, last string) (m mpopArgs, errReply reply.Value, ok bool) {
	n, ok := parseNumKeys(args[0])
	if !ok {
		return m, reply.Err(errNumKeys), false
	}
	if n >= int64(len(args)-1) {
		return m, reply.Err(errSyntax), false
	}
	m.keys, args = args[1:n+1], args[n+1:]
	switch {
	case isToken(args[0], first):
	case isToken(args[0], last):
		m.last = true
	default:
		return m, reply.Err(errSyntax), false
	}
	m.count = 1
	if args = args[1:]; len(args) == 0 {
		return m, errReply, true
	}
	if len(args) < 2 || !isToken(args[0], "count") {
		return m, reply.Err(errSyntax), false
	}
	if m.count, ok = parseInt(args[1]); !ok || m.count <= 0 {
		return m, reply.Err("ERR count should be greater than 0"), false
	}
	if len(args) > 2 {
		return m, reply.Err(errSyntax), false
	}
	return m, errReply, true
}

// parsePopCount reads the optional count of LPOP and SPOP.
func parsePopCount(arg string) (n int64, ok bool) {
	n, ok = parseInt(arg)
	return n, ok && n >= 0
}
