package assist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// What a completion costs after a key stroke in a text of a megabyte that does not compile.
func BenchmarkCompletionInABigText(b *testing.B) {
	var text strings.Builder
	text.WriteString("local f = {}\nredis.call('HS\n")
	at := text.Len() - 1
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "function f.f%d(a, b)\n  if a then\n    return redis.call('HGET', KEYS[1], a .. b)\n  end\nend\n", i)
	}
	l, err := lint.New(lint.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if len(NewDocument(l, text.String()).Complete(at).Items) < 10 {
			b.Fatal("no completions")
		}
	}
}

// What the linter costs in the same text, without the error.
func BenchmarkLintOfABigText(b *testing.B) {
	var text strings.Builder
	text.WriteString("local f = {}\n")
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "function f.f%d(a, b)\n  if a then\n    return redis.call('HGET', KEYS[1], a .. b)\n  end\nend\n", i)
	}
	l, err := lint.New(lint.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		l.Lint(lint.Script{Source: text.String()})
	}
}
