package resp_test

import (
	"fmt"
	"io"
	"net"
	"strings"

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

// A server that does not listen serves a client in the same process.
func ExampleServer_Dial() {
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	s := resp.NewServer(e, resp.Options{})
	defer s.Close()

	c, err := s.Dial()
	if err != nil {
		panic(err)
	}
	defer c.Close()
	_, _ = c.Write([]byte("SET stock 3\r\nDECR stock\r\n"))
	d := resp.NewDecoder(c)
	for range 2 {
		v, err := d.Decode()
		fmt.Println(v.Text(), err)
	}
	// Output:
	// OK <nil>
	// 2 <nil>
}

// An error reply is a value. The error of Decode is about the stream.
func ExampleDecoder() {
	d := resp.NewDecoder(strings.NewReader("*2\r\n:1\r\n$3\r\ntwo\r\n-ERR no\r\n"))
	for {
		v, err := d.Decode()
		if err == io.EOF {
			break
		}
		fmt.Println(v.Strings(), v.IsError(), err)
	}
	// Output:
	// [1 two] false <nil>
	// [] true <nil>
}

// A map has no type of its own in RESP2.
func ExampleAppend() {
	v, err := resp.NewDecoder(strings.NewReader("%1\r\n+stock\r\n:3\r\n")).Decode()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q\n", resp.Append(nil, v, 2))
	fmt.Printf("%q\n", resp.Append(nil, v, 3))
	// Output:
	// "*2\r\n+stock\r\n:3\r\n"
	// "%1\r\n+stock\r\n:3\r\n"
}

func ExampleSplitWords() {
	words, ok := resp.SplitWords(`SET greeting "hello\nworld"`)
	fmt.Printf("%q %v\n", words, ok)
	// Output: ["SET" "greeting" "hello\nworld"] true
}
