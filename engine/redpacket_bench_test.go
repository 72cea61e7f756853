package engine_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
)

// BenchmarkRedPacket measures one grab, with one caller and with twenty.
func BenchmarkRedPacket(b *testing.B) {
	source, err := os.ReadFile("../scripts/redpacket/grab.lua")
	if err != nil {
		b.Fatal(err)
	}
	script, ctx := engine.NewScript(string(source)), context.Background()
	keys := []string{"{b}:grabbed", "{b}:packets", "{b}:records", "{b}:activity", "{b}:settlement"}
	prepare := func(b *testing.B) *engine.Engine {
		e, err := engine.New(engine.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { e.Close() })
		e.DoStrings(ctx, "HSET", keys[3], "until", "never", "given", "0")
		for i := range b.N {
			e.DoStrings(ctx, "RPUSH", keys[1], fmt.Sprintf("%d packet:%09d", 100+i%9900, i))
		}
		b.ReportAllocs()
		b.ResetTimer()
		return e
	}
	grab := func(e *engine.Engine, user string) {
		args := [1]string{user}
		if v, err := e.RunScript(ctx, script, keys, args[:]); err != nil || v.Slice()[0].MustInt() != 1 {
			b.Error(v, err)
		}
	}
	b.Run("serial", func(b *testing.B) {
		e := prepare(b)
		for i := range b.N {
			grab(e, fmt.Sprintf("user:%09d", i))
		}
	})
	b.Run("parallel20", func(b *testing.B) {
		e := prepare(b)
		b.SetParallelism(10)
		users := make(chan int, b.N)
		for i := range b.N {
			users <- i
		}
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				grab(e, fmt.Sprintf("user:%09d", <-users))
			}
		})
	})
}
