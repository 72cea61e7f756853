package luac_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

func BenchmarkLong(b *testing.B) {
	var consts strings.Builder
	consts.WriteString("return {")
	for i := range 250000 {
		fmt.Fprintf(&consts, "%d.5,", i)
	}
	consts.WriteString("}")
	for name, src := range map[string]string{
		"globals":     strings.Repeat("a=a+1 ", 2000000),
		"locals":      strings.Repeat("do local x=1 end ", 32000) + strings.Repeat("local function f() local x=1 end ", 100),
		"constructor": "return {" + strings.Repeat("1,", 6000000) + "}",
		"functions":   strings.Repeat("a=function() end ", 262000),
		"constants":   consts.String(),
		"comments":    strings.Repeat("--x\n", 3000000),
		"string":      "return '" + strings.Repeat("x", 12000000) + "'",
		"or":          "return a" + strings.Repeat(" or a", 40000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := luac.Compile(src, "x", luac.Options{})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
