package datastore

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

// smallKeys returns a store with n keys of about 10 bytes with values of about 10 bytes.
func smallKeys(n int) *Store {
	s := New(Options{Rand: rand.NewPCG(1, 2)})
	s.SetNow(1_700_000_000_000_000)
	for i := range n {
		s.DB(0).SetString(fmt.Sprint("key:", i), fmt.Sprint("value:", i), false)
	}
	return s
}

func BenchmarkWriteFile1M(b *testing.B) {
	s := smallKeys(1_000_000)
	for b.Loop() {
		if err := s.WriteFile(io.Discard, FileOptions{Dump: compressed}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadFile1M(b *testing.B) {
	var file bytes.Buffer
	if err := smallKeys(1_000_000).WriteFile(&file, FileOptions{Dump: compressed}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := New(Options{}).LoadFile(bytes.NewReader(file.Bytes()), FileLoadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkImage1M writes an image in steps of at most 200 µs while other keys change. It reports
// the longest step and the longest change.
func BenchmarkImage1M(b *testing.B) {
	s := smallKeys(1_000_000)
	big, _ := s.DB(1).ZSetForWrite("large")
	for i := range 1_000_000 {
		big.Set(fmt.Sprint("member:", i), float64(i))
	}
	r := rand.New(rand.NewPCG(1, 1))
	var longestBegin, longestStep, longestChange time.Duration
	for b.Loop() {
		from := time.Now()
		img, err := s.BeginImage(io.Discard, FileOptions{Dump: compressed})
		if err != nil {
			b.Fatal(err)
		}
		longestBegin = max(longestBegin, time.Since(from))
		for done := false; !done; {
			from := time.Now()
			if done, err = img.Step(0, func() bool { return time.Since(from) > 200*time.Microsecond }); err != nil {
				b.Fatal(err)
			}
			longestStep = max(longestStep, time.Since(from))
			from = time.Now()
			s.DB(0).SetString(fmt.Sprint("key:", r.IntN(1_000_000)), "changed", false)
			longestChange = max(longestChange, time.Since(from))
		}
	}
	b.ReportMetric(float64(longestBegin.Microseconds()), "begin-µs")
	b.ReportMetric(float64(longestStep.Microseconds()), "step-µs")
	b.ReportMetric(float64(longestChange.Microseconds()), "change-µs")
}
