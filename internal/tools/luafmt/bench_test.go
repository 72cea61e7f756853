package luafmt

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
)

// A text of 100 KB: random functions.
func BenchmarkFormat(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	for text.Len() < 100<<10 {
		if s := "local function f() " + luagen.Program(rng, 20) + "\nend\n"; check2(s) {
			text.WriteString("do " + s + "end\n")
		}
	}
	source := text.String()
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if _, err := Format(source, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// check2 reports whether a text compiles.
func check2(source string) bool {
	_, err := Format(source, Options{})
	return err == nil
}
