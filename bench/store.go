package main

import (
	"context"
	"math"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
)

// scatter maps numbers below 2^32 to numbers below 2^32, no two to the same, in no visible order.
func scatter(i int) uint32 {
	x := uint32(i)
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	return x ^ x>>16
}

// member is member, field or element i: 9 bytes, not a number.
func member(i int) string {
	b := [9]byte{'m'}
	s := strconv.AppendUint(b[1:1], uint64(scatter(i)), 16)
	for n := 1 + len(s); n < len(b); n++ {
		b[n] = 'x'
	}
	return string(b[:])
}

// score is the score of member i, a fraction of no short decimal form.
func score(i int) string {
	return strconv.FormatFloat(math.Sqrt(float64(scatter(i+1e6))), 'g', 12, 64)
}

// store is where the subjects of cost and memory are kept: an engine in this process or redis-server.
type store interface {
	// Run runs commands in order. An error reply ends it.
	Run(cmds [][]string) error
}

// engineStore is an engine in this process. Commands come in pipelines: what is measured is the commands, not how long two goroutines take to
// wake each other, which depends on how long they have waited.
type engineStore struct{ e *engine.Engine }

// Run implements [store].
func (s engineStore) Run(cmds [][]string) error {
	sess, err := s.e.NewSession()
	if err != nil {
		return err
	}
	defer sess.Close()
	b := engine.Batch{Commands: cmds}
	if err := sess.RunBatch(context.Background(), &b); err != nil {
		return err
	}
	for _, v := range b.Replies {
		if v.IsError() {
			return v.Err()
		}
	}
	return nil
}

// filling is how a subject gets its elements: per elements to a command, which add fills with element i.
type filling struct {
	per   int
	begin []string // name and key
	add   func(args []string, i int) []string
}

// fill puts the elements from first on into s, n of them.
func (f filling) fill(s store, first, n int) error {
	var cmds [][]string
	for i := first; i < first+n; {
		args := append(make([]string, 0, len(f.begin)+2*f.per), f.begin...)
		for range f.per {
			if i == first+n {
				break
			}
			args = f.add(args, i)
			i++
		}
		if cmds = append(cmds, args); len(cmds) == 64 || i == first+n {
			if err := s.Run(cmds); err != nil {
				return err
			}
			cmds = cmds[:0]
		}
	}
	return nil
}
