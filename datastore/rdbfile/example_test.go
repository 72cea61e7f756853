package rdbfile_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
)

// file returns an RDB file with three keys.
func file() []byte {
	st := datastore.New(datastore.Options{})
	st.DB(0).SetString("user:1", "Ada", false)
	st.DB(0).SetString("user:2", "Bob", false)
	list, _ := st.DB(0).ListForWrite("jobs")
	list.PushBack("clean")
	list.PushBack("paint")
	var b bytes.Buffer
	if err := rdbfile.Write(&b, st, rdbfile.Writing{}); err != nil {
		log.Fatal(err)
	}
	return b.Bytes()
}

// Only some keys are loaded.
func ExampleLoad() {
	st := datastore.New(datastore.Options{})
	loaded, err := rdbfile.Load(bytes.NewReader(file()), st, rdbfile.Loading{
		Filter: func(_ int, key string) bool { return strings.HasPrefix(key, "user:") },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.Keys, "loaded,", loaded.Skipped, "skipped")
	// Output: 2 loaded, 1 skipped
}

// An image is written in steps, while the keyspace changes.
func ExampleBegin() {
	st := datastore.New(datastore.Options{})
	st.DB(0).SetString("k", "old", false)
	var b bytes.Buffer
	img, err := rdbfile.Begin(&b, st, rdbfile.Writing{})
	if err != nil {
		log.Fatal(err)
	}
	st.DB(0).SetString("k", "new", false)
	for done := false; !done; {
		if done, err = img.Step(64<<10, nil); err != nil {
			log.Fatal(err)
		}
	}
	_, keys := rdbfile.Keys(&b, rdbfile.Reading{}, nil)
	for k, err := range keys {
		if err != nil {
			log.Fatal(err)
		}
		_, err = k.Elements(func(el datastore.Element) bool {
			fmt.Println(k.Key, el.Text)
			return true
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output: k old
}
