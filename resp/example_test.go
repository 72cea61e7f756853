package resp_test

import (
	"fmt"
	"net"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// A server on a free port, and a client that sends it a command.
func ExampleServer() {
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	l, err := resp.Listen("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := resp.NewServer(e, resp.Options{})
	go s.Serve(l)
	defer s.Close()

	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	if _, err := c.Write(resp.AppendCommand(nil, "ECHO", "hello")); err != nil {
		panic(err)
	}
	v, err := resp.NewDecoder(c).Decode()
	fmt.Println(v.Text(), err)
	// Output: hello <nil>
}

func ExampleAppendCommand() {
	fmt.Printf("%q\n", resp.AppendCommand(nil, "GET", "key"))
	// Output: "*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n"
}
