package datastore

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

const benchZ = 1_000_000

// benchMembers are benchZ distinct members and a score for each.
func benchMembers() ([]string, []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	members, scores := make([]string, benchZ), make([]float64, benchZ)
	for i := range members {
		members[i], scores[i] = fmt.Sprint("member:", i), r.Float64()
	}
	return members, scores
}

func benchZSet(members []string, scores []float64) *ZSet {
	z := New(Options{}).NewZSet(nil)
	for i, m := range members {
		z.Set(m, scores[i])
	}
	return z
}

// BenchmarkZSetSet adds members in random order to a set that grows to a million.
func BenchmarkZSetSet(b *testing.B) {
	members, scores := benchMembers()
	z := New(Options{}).NewZSet(nil)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i == benchZ {
			z, i = New(Options{}).NewZSet(nil), 0
		}
		z.Set(members[i], scores[i])
		i++
	}
}

// BenchmarkZSetUpdate changes scores in a set of a million.
func BenchmarkZSetUpdate(b *testing.B) {
	members, scores := benchMembers()
	z := benchZSet(members, scores)
	r := rand.New(rand.NewPCG(3, 4))
	b.ReportAllocs()
	for b.Loop() {
		z.Set(members[r.IntN(benchZ)], r.Float64())
	}
}

func BenchmarkZSetRank(b *testing.B) {
	members, scores := benchMembers()
	z := benchZSet(members, scores)
	r := rand.New(rand.NewPCG(3, 4))
	b.ReportAllocs()
	for b.Loop() {
		z.Rank(members[r.IntN(benchZ)])
	}
}

// BenchmarkZSetRange walks ten elements from a random rank on.
func BenchmarkZSetRange(b *testing.B) {
	members, scores := benchMembers()
	z := benchZSet(members, scores)
	r := rand.New(rand.NewPCG(3, 4))
	sum := 0.0
	b.ReportAllocs()
	for b.Loop() {
		z.Ascend(r.IntN(benchZ-10), 10, func(it ZItem) bool { sum += it.Score; return true })
	}
}

func BenchmarkZSetScoreSpan(b *testing.B) {
	members, scores := benchMembers()
	z := benchZSet(members, scores)
	r := rand.New(rand.NewPCG(3, 4))
	b.ReportAllocs()
	for b.Loop() {
		lo := r.Float64()
		z.ScoreSpan(ScoreRange{Min: lo, Max: lo + 0.01})
	}
}

// BenchmarkZSetRemove removes members from a set of a million, which is filled again when it is
// empty.
func BenchmarkZSetRemove(b *testing.B) {
	members, scores := benchMembers()
	z := benchZSet(members, scores)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i == benchZ {
			b.StopTimer()
			z, i = benchZSet(members, scores), 0
			b.StartTimer()
		}
		z.Remove(members[i])
		i++
	}
}
