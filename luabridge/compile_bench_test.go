package luabridge

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkCompile compiles the ready scripts.
func BenchmarkCompile(b *testing.B) {
	files, err := filepath.Glob("../scripts/*/*.lua")
	if err != nil || len(files) == 0 {
		b.Fatal("no scripts", err)
	}
	var texts []string
	bytes := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, string(text))
		bytes += len(text)
	}
	vm := New(Options{})
	defer vm.Close()
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			if _, err := vm.Compile(text); err != nil {
				b.Fatal(err)
			}
		}
	}
}
