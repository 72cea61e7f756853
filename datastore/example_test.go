package datastore_test

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/datastore"
)

// One goroutine owns a store and moves its clock.
func Example() {
	store := datastore.New(datastore.Options{})
	store.SetNow(1_000_000) // microseconds
	db := store.DB(0)

	h, err := db.HashForWrite("user:1")
	if err != nil {
		panic(err)
	}
	h.Set("name", "ann")
	db.Emit(datastore.ClassHash, "hset", "user:1")
	db.SetExpire(db.Lookup("user:1"), 1_500) // milliseconds

	fmt.Println(db.Len(), h.Encoding())
	store.SetNow(1_501_000)
	fmt.Println(db.Lookup("user:1") == nil)
	// Output:
	// 1 listpack
	// true
}

// Rollback undoes the changes since Begin.
func ExampleStore_Rollback() {
	store := datastore.New(datastore.Options{})
	db := store.DB(0)
	db.SetString("stock", "3", false)

	mark := store.Begin()
	db.SetString("stock", "2", false)
	db.SetString("order", "ann", false)
	store.Rollback(mark)

	s, _ := db.String("stock")
	fmt.Println(s.Len(), db.Len())
	// Output: 1 1
}

// A listener gets every completed change, in order.
func ExampleStore_Listen() {
	store := datastore.New(datastore.Options{})
	store.Listen(func(c *datastore.Change) { fmt.Println(c.Event, c.Key) })
	db := store.DB(0)

	l, err := db.ListForWrite("queue")
	if err != nil {
		panic(err)
	}
	l.PushBack("job")
	db.Emit(datastore.ClassList, "rpush", "queue")

	l.PopFront()
	db.Emit(datastore.ClassList, "lpop", "queue")
	db.DropIfEmpty("queue")
	// Output:
	// new queue
	// rpush queue
	// lpop queue
	// del queue
}

// A dump has the bytes of Redis's DUMP.
func ExampleDump() {
	store := datastore.New(datastore.Options{})
	dump := datastore.Dump(datastore.NewString("10"), datastore.DumpOptions{})
	fmt.Printf("%q\n", dump)
	o, err := store.Restore(string(dump), datastore.DumpOptions{})
	fmt.Println(o.Type(), o.Encoding(), err)
	// Output:
	// "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb"
	// string int <nil>
}
