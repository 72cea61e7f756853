package difftest

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// TestACLFile compares ACL LOAD and SAVE of servers that were started with a file of users: both
// read the same one.
func TestACLFile(t *testing.T) {
	needsOracle(t)
	path := filepath.Join(t.TempDir(), "users.acl")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	const open = "user default on nopass ~* &* +@all\n"
	write(open + "user bob on >pw ~b* +get\n")
	bin, err := exec.LookPath("redis-server")
	require.NoError(t, err)
	oracle, err := startOracle(bin, "--aclfile", path)
	require.NoError(t, err)
	defer oracle.Stop()
	e, err := engine.New(engine.Options{ACLFile: path})
	require.NoError(t, err)
	defer e.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := resp.NewServer(e, resp.Options{})
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer func() {
		require.NoError(t, server.Close())
		require.True(t, errors.Is(<-served, resp.ErrServerClosed))
	}()
	addrs := []string{oracle.Addr, l.Addr().String()}
	dial := func(addr string) Conn {
		c, err := net.Dial("tcp", addr)
		require.NoError(t, err)
		return NewNetConn(c)
	}
	conns := []Conn{dial(addrs[0]), dial(addrs[1])}
	defer conns[0].Close()
	defer conns[1].Close()
	both := func(args ...string) string {
		var raws []string
		for _, c := range conns {
			raw, err := c.Do(args)
			require.NoError(t, err)
			raws = append(raws, string(raw))
		}
		require.Equal(t, raws[0], raws[1], "%q", args)
		return raws[0]
	}
	both("ACL", "LIST")
	both("CONFIG", "GET", "aclfile")
	for _, text := range []string{
		open, "", "user a", "user", "foo", "USER a on\n", "# comment\n", open + "user a on\nuser a off\n",
		"user a\nuser b on nosuch\nfoo\n", "user a on +get|x|y +nosuch\nuser b\n", "user a foo bar +nosuch\nuser b !zz <x\n",
		"user \"a b\" on\n", "user a \"on\" ~\"q\"\n", "user a\ton\n", "user a  on\n", "  user a on  \n\n\tuser b on\r\n \n",
		"user a ( ~x +get )\n", "user a (~x   +get)   on\n", open + "user a on\nuser default on\n", "user default on nopass ~k +@all +get|x\n",
		"user c on >a #zz\nuser d +@list -lpush +select|0 (~x +@read)\n",
	} {
		write(text)
		both("ACL", "LOAD")
		both("ACL", "LIST")
	}
	// The sessions of all users except default end, including the one that sends ACL LOAD.
	write(open + "user u on nopass +@all\n")
	require.Equal(t, "+OK\r\n", both("ACL", "LOAD"))
	for i, addr := range addrs {
		mine, other := dial(addr), dial(addr)
		for _, c := range []Conn{mine, other} {
			raw, err := c.Do([]string{"AUTH", "u", "x"})
			require.NoError(t, err)
			require.Equal(t, "+OK\r\n", string(raw), i)
		}
		for _, c := range []Conn{mine, other} {
			raw, err := c.Do([]string{"ACL", "LOAD"})
			if c == mine {
				require.NoError(t, err)
				require.Equal(t, "+OK\r\n", string(raw), i)
			}
			raw, err = c.Do([]string{"PING"})
			require.True(t, err != nil || string(raw) == Closed, "%d: %q", i, raw)
			c.Close()
		}
	}
	both("ACL", "WHOAMI")
	both("ACL", "SETUSER", "v", "on", ">x", "~a", "%R~b", "&c", "+@all", "-get", "(+get ~x)")
	var saved []string
	for _, c := range conns {
		raw, err := c.Do([]string{"ACL", "SAVE"})
		require.NoError(t, err)
		require.Equal(t, "+OK\r\n", string(raw))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		saved = append(saved, string(text))
	}
	require.Equal(t, saved[0], saved[1])
	both("ACL", "LOAD")
	require.NoError(t, os.Remove(path))
	both("ACL", "LOAD")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "x"), 0o700))
	both("ACL", "SAVE")
}

// TestACLFileAtStart checks that an engine refuses to start with a file of users that is wrong.
func TestACLFileAtStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.acl")
	_, err := engine.New(engine.Options{ACLFile: path})
	require.ErrorContains(t, err, "Error loading ACLs, opening file '"+path+"': No such file or directory")
	require.NoError(t, os.WriteFile(path, []byte("user a on (~x\n"), 0o600))
	_, err = engine.New(engine.Options{ACLFile: path})
	require.ErrorContains(t, err, path+":1: Unmatched parenthesis in selector definition.WARNING: ACL errors detected")
}
