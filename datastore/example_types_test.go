package datastore_test

import (
	"fmt"
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
)

// exampleDB returns an empty database.
func exampleDB() *datastore.DB { return datastore.New(datastore.Options{}).DB(0) }

// A getter ending in ForWrite makes a missing key. The command then changes the value and emits the
// event.
func ExampleDB() {
	db := exampleDB()
	s, err := db.SetForWrite("users")
	if err != nil {
		panic(err) // ErrWrongType
	}
	s.Add("ann")
	s.Add("bob")
	db.Emit(datastore.ClassSet, "sadd", "users")

	s.Remove("ann")
	s.Remove("bob")
	db.Emit(datastore.ClassSet, "srem", "users")
	fmt.Println(db.DropIfEmpty("users"), db.Len())
	_, err = db.List("users")
	fmt.Println(err)
	// Output:
	// true 0
	// <nil>
}

// A text that is the decimal form of an integer is stored as an integer.
func ExampleString() {
	s := datastore.NewString("41")
	n, ok := s.Int()
	fmt.Println(n, ok, s.Encoding())
	fmt.Println(datastore.NewString("041").Encoding())
	// Output:
	// 41 true int
	// embstr
}

func ExampleList() {
	l, err := exampleDB().ListForWrite("queue")
	if err != nil {
		panic(err)
	}
	l.PushBack("b")
	l.PushBack("d")
	l.PushFront("a")
	l.Insert(2, "c") // before element 2
	l.Ascend(1, func(i int, el string) bool {
		fmt.Print(i, "=", el, " ")
		return true
	})
	fmt.Println(l.PopFront(), l.Len())
	// Output: 1=b 2=c 3=d a 3
}

// A set of integers is an intset until another member comes.
func ExampleSet() {
	s, err := exampleDB().SetForWrite("numbers")
	if err != nil {
		panic(err)
	}
	s.Add("30")
	s.Add("4")
	fmt.Println(s.Encoding(), s.At(0), s.Has("30"))
	s.Add("many")
	fmt.Println(s.Encoding(), s.Len())
	// Output:
	// intset 4 true
	// hashtable 3
}

func ExampleHash() {
	db := exampleDB()
	db.Store().SetNow(1_000_000) // microseconds
	h, err := db.HashForWrite("session")
	if err != nil {
		panic(err)
	}
	h.Set("user", "ann")
	db.SetFieldUntil("session", h, "code", "4711", 61_000) // milliseconds

	db.Store().SetNow(62_000_000)
	fmt.Println(db.ExpireFields("session", h, "code"), h.Len())
	// Output: true 1
}

func ExampleZSet() {
	z := datastore.New(datastore.Options{}).NewZSet([]datastore.ZItem{{Score: 30, Member: "ann"}, {Score: 10, Member: "bob"}})
	z.Set("eve", 20)
	from, to := z.ScoreSpan(datastore.ScoreRange{Min: 10, Max: math.Inf(1), MinEx: true})
	fmt.Println(from, to)
	z.Ascend(from, to-from, func(it datastore.ZItem) bool {
		fmt.Println(it.Member, it.Score)
		return true
	})
	// Output:
	// 1 3
	// eve 20
	// ann 30
}

func ExampleStream() {
	db := exampleDB()
	s, err := db.StreamForWrite("orders")
	if err != nil {
		panic(err)
	}
	for _, item := range []string{"shoe", "hat"} {
		id, _ := s.NextSeq(5) // ms since the epoch
		if err := s.Add(id, []string{"item", item}); err != nil {
			panic(err)
		}
	}
	fmt.Println(s.Add(datastore.StreamID{Ms: 4}, []string{"item", "cap"}))
	s.Range(datastore.StreamID{}, datastore.MaxStreamID, func(e *datastore.StreamEntry) bool {
		fmt.Println(e.ID, e.AppendPairs(nil))
		return true
	})
	// Output:
	// datastore: the id is not greater than the last one of the stream
	// 5-0 [item shoe]
	// 5-1 [item hat]
}
