package ldb_test

import (
	"fmt"
	"net"

	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// A server with the debugger, and a client that debugs a script on it.
func Example() {
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := resp.NewServer(e, resp.Options{Debug: ldb.Debug})
	defer server.Close()
	go func() { _ = server.Serve(l) }()

	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	c, _, err := ldb.Start(conn, "local n = 20\nreturn n * 2", nil, nil, false)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	_, _ = c.Do("step")
	fmt.Println("line", c.Line(), c.Reason())
	a, _ := c.Do("print", "n")
	fmt.Println(a.Lines[0])
	a, _ = c.Do("continue")
	fmt.Println("ended:", a.Ended, a.Reply.Text())
	// Output:
	// line 2 step over
	// <value> 20
	// ended: true 40
}
