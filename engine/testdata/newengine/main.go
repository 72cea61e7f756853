// Command newengine makes an engine and prints the error of it. A test builds it with other versions of gopher-lua.
package main

import (
	"context"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
)

func main() {
	e, err := engine.New(engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	v, err := e.Eval(context.Background(), "return 'it runs'", nil)
	fmt.Println(v.Text(), err)
}
