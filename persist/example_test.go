package persist_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
)

// An engine that keeps each answered write on disk.
func Example() {
	dir, err := os.MkdirTemp("", "redmoon")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	for range 2 { // the second engine has the data of the first
		e, err := engine.New(engine.Options{
			Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: true, AppendFsync: "always"}),
		})
		if err != nil {
			log.Fatal(err)
		}
		v, err := e.Do(ctx, "INCR", "starts")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v)
		if err := e.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// (integer) 1
	// (integer) 2
}
