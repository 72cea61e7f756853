package stringcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"set":         set,
		"get":         get,
		"getset":      getset,
		"getdel":      getdel,
		"getex":       getex,
		"setnx":       setnx,
		"setex":       setex,
		"psetex":      psetex,
		"mset":        mset,
		"msetnx":      msetnx,
		"msetex":      msetex,
		"delex":       delex,
		"delifeq":     delifeq,
		"digest":      digest,
		"mget":        mget,
		"append":      appendTo,
		"strlen":      strlen,
		"incr":        incr,
		"decr":        decr,
		"incrby":      incrby,
		"decrby":      decrby,
		"incrbyfloat": incrbyfloat,
		"getrange":    getrange,
		"substr":      getrange,
		"setrange":    setrange,
		"lcs":         lcs,
	}
}
