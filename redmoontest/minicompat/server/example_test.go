package server_test

import (
	"fmt"
	"net"

	miniredis "github.com/redmoon-lua/redmoon/redmoontest/minicompat"
	"github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
	"github.com/redmoon-lua/redmoon/resp"
)

// A hook that fails one command, and a command of the test's own.
func ExampleServer() {
	s, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer s.Close()
	s.Server().SetPreHook(func(c *server.Peer, cmd string, _ ...string) bool {
		if cmd == "SET" {
			c.WriteError("OOM command not allowed")
			return true
		}
		return false
	})
	err = s.Server().Register("HELLOME", func(c *server.Peer, _ string, args []string) { c.WriteBulk("hello " + args[0]) })
	if err != nil {
		panic(err)
	}

	nc, err := net.Dial("tcp", s.Addr())
	if err != nil {
		panic(err)
	}
	defer nc.Close()
	replies := resp.NewDecoder(nc)
	for _, command := range [][]string{{"SET", "k", "v"}, {"HELLOME", "ann"}, {"EXISTS", "k"}} {
		_, _ = nc.Write(resp.AppendCommand(nil, command...))
		v, err := replies.Decode()
		fmt.Println(v, err)
	}
	// Output:
	// (error) OOM command not allowed <nil>
	// "hello ann" <nil>
	// (integer) 0 <nil>
}
