package reply_test

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/reply"
)

func ExampleValue_Int() {
	n, err := reply.Bulk("42").Int()
	fmt.Println(n, err)

	_, err = reply.Nil().Int()
	fmt.Println(errors.Is(err, reply.ErrNil), err)

	_, err = reply.Bulk("12 cents").Int()
	fmt.Println(errors.Is(err, reply.ErrKind), err)

	_, err = reply.Err("WRONGTYPE Operation against a key").Int()
	fmt.Println(errors.Is(err, &reply.Error{Code: "WRONGTYPE"}), err)
	// Output:
	// 42 <nil>
	// true redmoon: cannot read an integer: reply is null
	// true redmoon: cannot read an integer: reply is of another kind: bulk "12 cents"
	// true WRONGTYPE Operation against a key
}

func ExampleValue_Map() {
	user := reply.Bulks("name", "ann", "balance", "250") // HGETALL in RESP2
	fields, err := user.Map()
	if err != nil {
		panic(err)
	}
	balance, err := fields["balance"].Int()
	fmt.Println(fields["name"].Text(), balance, err)
	// Output: ann 250 <nil>
}

func ExampleArray() {
	v := reply.Array(reply.Int(1), reply.Bulk("two"), reply.Nil())
	fmt.Println(v)
	for _, e := range v.Slice() {
		fmt.Println(e.Kind(), e.IsNil(), e.Text())
	}
	// Output:
	// 1) (integer) 1
	// 2) "two"
	// 3) (nil)
	// integer false 1
	// bulk false two
	// nil true
}
