package parse

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// NumKeys reads the number of keys of commands such as SINTERCARD and LMPOP: 1 or more. Whether
// so many keys follow is checked by the caller, because each family has its own error for it.
func NumKeys(arg string) (n int64, ok bool) {
	n, ok = Int(arg)
	return n, ok && n > 0
}

// MpopArgs are the arguments of LMPOP, ZMPOP and their blocking relatives.
type MpopArgs struct {
	Keys  []string
	Last  bool // pop from the end that the second token names
	Count int64
}

// Mpop reads numkeys key ... first|last [COUNT count], where first and last are the lower-case
// tokens for the two ends. When ok is false the reply is the error.
func Mpop(args []string, first, last string) (m MpopArgs, errReply reply.Value, ok bool) {
	n, ok := NumKeys(args[0])
	if !ok {
		return m, reply.Err(errtext.NumKeys), false
	}
	if n >= int64(len(args)-1) {
		return m, reply.Err(errtext.Syntax), false
	}
	m.Keys, args = args[1:n+1], args[n+1:]
	switch {
	case IsToken(args[0], first):
	case IsToken(args[0], last):
		m.Last = true
	default:
		return m, reply.Err(errtext.Syntax), false
	}
	m.Count = 1
	if args = args[1:]; len(args) == 0 {
		return m, errReply, true
	}
	if len(args) < 2 || !IsToken(args[0], "count") {
		return m, reply.Err(errtext.Syntax), false
	}
	if m.Count, ok = Int(args[1]); !ok || m.Count <= 0 {
		return m, reply.Err("ERR count should be greater than 0"), false
	}
	if len(args) > 2 {
		return m, reply.Err(errtext.Syntax), false
	}
	return m, errReply, true
}

// PopCount reads the optional count of LPOP and SPOP.
func PopCount(arg string) (n int64, ok bool) {
	n, ok = Int(arg)
	return n, ok && n >= 0
}
