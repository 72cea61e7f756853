package datastore_test

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/datastore"
)

// A store is driven by one goroutine, which also moves its clock.
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

// Changes made while the store is recording can be taken back.
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
