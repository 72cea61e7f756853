package main

import (
	"context"
	"syscall/js"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio"
)

// steps is less than that of a server: WebAssembly runs on the only goroutine that could stop it.
const steps = 20_000_000

// main gives the worker the function redmoonStudio, which takes a request and a function to call
// with the response.
func main() {
	s := studio.New(studio.Options{Steps: steps, Version: "WebAssembly"})
	js.Global().Set("redmoonStudio", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request, answer := args[0].String(), args[1]
		go func() { answer.Invoke(string(s.Handle(context.Background(), []byte(request)))) }()
		return nil
	}))
	js.Global().Call("redmoonReady")
	select {}
}
