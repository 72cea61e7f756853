package studio

import (
	"embed"
	"slices"
)

//go:embed examples/*.lua
var exampleFiles embed.FS

// example is a row of the menu of examples.
type example struct {
	file, name, keys, args, fixture string
}

var examples = []example{
	{"red-packet", "Red packet", "packets grabbed", "ann", "RPUSH packets 120 80 300\nHSET grabbed bob 500"},
	{"coupon", "Coupon with two limits", "claims total", "ann 2 100", "HSET claims ann 1 bob 2\nSET total 42"},
	{"lock", "Lock with a time to live", "lock:order", "worker-1 30000", ""},
	{"rate-limit", "Rate limit, sliding window", "calls:ann", "3 60000", ""},
	{"cart", "An error in a loop", "cart prices orders", "",
		"{\n  \"cart\": {\"apple\": 3, \"pear\": 1, \"plum\": 2},\n  \"prices\": {\"apple\": 40, \"pear\": 70}\n}"},
	{"steps", "Functions to step through", "sum", "10", ""},
}

// Examples returns small cases to begin with, and then the ready scripts.
func Examples() []Document {
	var list []Document
	for _, x := range examples {
		source, err := exampleFiles.ReadFile("examples/" + x.file + ".lua")
		if err != nil {
			panic(err) // the file is part of the program
		}
		list = append(list, Document{Name: x.name, Source: string(source), Keys: x.keys, Args: x.args, Fixture: x.fixture})
	}
	return slices.Concat(list, readyScripts())
}
