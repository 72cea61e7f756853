package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDenialsOfOneMinuteAreOneEntry(t *testing.T) {
	p := newPeer()
	p.Store.SetNow(1_000_000_000)
	p.do("acl setuser u on nopass +@all")
	p.do("auth u x")
	p.do("get k")
	p.Store.SetNow(1_060_000_000)
	p.do("get k")
	require.Len(t, p.Access.Log, 1)
	require.Equal(t, int64(2), p.Access.Log[0].Count)
	p.Store.SetNow(1_120_001_000)
	p.do("get k")
	require.Len(t, p.Access.Log, 2)
	require.Equal(t, int64(1), p.Access.Log[0].Count)
}

func TestUserOfTheDefaultIsNotRestricted(t *testing.T) {
	p := newPeer()
	require.False(t, p.sess.User.Restricted)
	p.do("acl setuser default -get")
	require.True(t, p.sess.User.Restricted)
	require.Equal(t, "NOPERM this user has no permissions to run the 'get' command", p.do("get k").Text())
	p.do("acl setuser default +get")
	require.True(t, p.sess.User.Restricted) // allowing each command does not allow future commands
	p.do("acl setuser default (+@all allkeys allchannels)")
	require.False(t, p.sess.User.Restricted)
}

func TestSessionInProcessOutlivesItsUser(t *testing.T) {
	p := newPeer()
	p.do("acl setuser u on nopass +@all allkeys")
	p.do("auth u x")
	require.Equal(t, int64(1), p.do("acl deluser u").MustInt())
	require.False(t, p.sess.CloseAfter)
	require.Equal(t, "default", p.do("acl whoami").Text())
}
