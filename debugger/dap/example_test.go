package dap_test

import (
	"bufio"
	"context"
	"fmt"
	"net"

	protocol "github.com/google/go-dap"

	"github.com/redmoon-lua/redmoon/debugger/dap"
	"github.com/redmoon-lua/redmoon/engine"
)

// Editors attach to the scripts that callers of an engine run.
func ExampleServer() {
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := dap.NewServer(dap.Options{Engine: e})
	defer server.Close()
	go func() { _ = server.Listen(context.Background(), l) }()

	// An editor does this.
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	request := `{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"redmoon"}}`
	_ = protocol.WriteBaseMessage(conn, []byte(request))
	response, err := protocol.ReadProtocolMessage(bufio.NewReader(conn))
	if err != nil {
		panic(err)
	}
	fmt.Println(response.(*protocol.InitializeResponse).Body.SupportsStepBack)
	// Output:
	// true
}

// A debug adapter must not listen on an address that other machines can reach.
func ExampleCheckLoopback() {
	fmt.Println(dap.CheckLoopback("127.0.0.1:4711"))
	fmt.Println(dap.CheckLoopback("0.0.0.0:4711"))
	// Output:
	// <nil>
	// 0.0.0.0:4711 can be reached from other machines, and a debugging client can run any command
}
