package reply_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// fakeServer stands for an engine in a test. Its replies are made with package reply.
type fakeServer map[string]reply.Value

func (f fakeServer) DoStrings(_ context.Context, args ...string) (engine.Value, error) {
	v := f[args[0]]
	return v, v.Err()
}

// A fake server for a test of code that takes an engine.Doer.
func Example() {
	var server engine.Doer = fakeServer{
		"GET":     reply.Bulk("41"),
		"HGETALL": reply.Map(reply.Bulk("name"), reply.Bulk("ann")),
		"LPUSH":   reply.Err("WRONGTYPE Operation against a key holding the wrong kind of value"),
	}
	v, err := server.DoStrings(context.Background(), "GET", "age")
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Int())
	_, err = server.DoStrings(context.Background(), "LPUSH", "age", "x")
	fmt.Println(errors.Is(err, engine.ErrWrongType))
	// Output:
	// 41 <nil>
	// true
}

// A target without a Message matches every error reply of its code.
func ExampleError() {
	err := error(reply.ParseError("BUSYKEY Target key name already exists."))
	fmt.Println(errors.Is(err, &reply.Error{Code: "BUSYKEY"}))
	fmt.Println(errors.Is(err, &reply.Error{Code: "BUSYKEY", Message: "another"}))
	var e *reply.Error
	if errors.As(err, &e) {
		fmt.Println(e.Message)
	}
	// Output:
	// true
	// false
	// Target key name already exists.
}
