package datastore

import (
	"fmt"
	"runtime"
	"testing"
)

func benchList(n int) *List {
	l := New(Options{}).NewList()
	for i := range n {
		l.PushBack(fmt.Sprintf("packet:%d", i))
	}
	return l
}

// BenchmarkListQueue pushes at the front and pops at the back, with a journal as in a script.
func BenchmarkListQueue(b *testing.B) {
	for _, n := range []int{1, 100, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := benchList(n)
			b.ReportAllocs()
			for b.Loop() {
				l.st.Begin()
				l.PushFront("packet:12345")
				l.PopBack()
				l.st.Commit()
			}
		})
	}
}

func BenchmarkListFill(b *testing.B) {
	b.ReportAllocs()
	var els [1000]string
	for i := range els {
		els[i] = fmt.Sprintf("packet:%d", i)
	}
	for b.Loop() {
		l := New(Options{}).NewList()
		for i := range 10000 {
			l.PushFront(els[i%1000])
		}
	}
}

func BenchmarkListAt(b *testing.B) {
	for _, n := range []int{1000, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := benchList(n)
			i := 0
			for b.Loop() {
				l.At(i)
				i = (i + 7_654_321) % n
			}
		})
	}
}

func BenchmarkListRange100(b *testing.B) {
	l := benchList(10000)
	b.ReportAllocs()
	for b.Loop() {
		l.Ascend(4000, func(i int, _ string) bool { return i < 4099 })
	}
}

func BenchmarkListInsert(b *testing.B) {
	l := benchList(100000)
	i := 0
	for b.Loop() {
		l.Insert(i%100000, "x")
		i += 7919
	}
}

// BenchmarkListMemory reports the heap bytes of an element of 12 bytes in a long list.
func BenchmarkListMemory(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		l := benchList(n)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/element")
		runtime.KeepAlive(l)
	}
}
