package testredis

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/reply"
)

// host is what the functions of the library redis reach other than redis.call.
type host struct{ w *World }

// Call implements luabridge.Host.
func (h host) Call(args []string) reply.Value {
	env, err := h.w.current()
	if err != nil {
		return reply.Err("ERR " + err.Error())
	}
	v, err := env.do(args)
	if err != nil {
		return reply.Err("ERR " + err.Error())
	}
	return v
}

// SetResp implements luabridge.Host: the session speaks the protocol.
func (h host) SetResp(proto int) {
	if h.w.env != nil {
		h.w.env.use("redis.setresp")
	}
	h.Call([]string{"HELLO", strconv.Itoa(proto)})
}

// SetEffects implements luabridge.Host. A test has no replicas.
func (host) SetEffects(bool, bool) {}

// CheckACL implements luabridge.Host.
func (h host) CheckACL(args []string) (allowed, known bool) {
	v := h.Call(append([]string{"ACL", "DRYRUN", "default"}, args...))
	return v.Text() == "OK", !v.IsError()
}

// InnerError implements luabridge.Host.
func (host) InnerError(reply.Value) {}
