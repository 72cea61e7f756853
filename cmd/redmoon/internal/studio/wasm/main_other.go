//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program is for a browser: make studio-static compiles it with GOOS=js GOARCH=wasm")
	os.Exit(1)
}
