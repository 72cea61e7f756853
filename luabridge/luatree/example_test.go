package luatree_test

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// The calls of a text, each with its place.
func ExampleParse() {
	tree, err := luatree.Parse("local v = redis.call('GET', KEYS[1])\nreturn tonumber(v)")
	if err != nil {
		fmt.Println(err)
		return
	}
	luatree.Walk(tree.Main.Body, func(n luatree.Node) bool {
		if call, ok := n.(*luatree.Call); ok {
			line, column := tree.Position(call.From)
			fmt.Printf("%d:%d %s\n", line, column, tree.Text(call.Func.Span()))
		}
		return true
	})
	// Output:
	// 1:11 redis.call
	// 2:8 tonumber
}

// The tokens of a text that does not compile.
func ExampleTokens() {
	source := "return redis.call('GET', -- a key"
	for _, t := range luatree.Tokens(source) {
		if t.Kind == luatree.StringToken || t.Kind == luatree.CommentToken {
			fmt.Println(source[t.From:t.To])
		}
	}
	// Output:
	// 'GET'
	// -- a key
}
