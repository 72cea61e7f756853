package main

import (
	"context"
	"math"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// scatter is a permutation of the numbers below 2^32 that looks random.
func scatter(i int) uint32 {
	x := uint32(i)
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	return x ^ x>>16
}

// member returns member, field or element i: 9 bytes, not a number.
func member(i int) string {
	b := [9]byte{'m'}
	s := strconv.AppendUint(b[1:1], uint64(scatter(i)), 16)
	for n := 1 + len(s); n < len(b); n++ {
		b[n] = 'x'
	}
	return string(b[:])
}

// score returns the score of member i, a fraction without a short decimal form.
func score(i int) string {
	return strconv.FormatFloat(math.Sqrt(float64(scatter(i+1e6))), 'g', 12, 64)
}

// store holds the subjects of cost and memory: an in-process engine or redis-server.
type store interface {
	// Run runs commands in order, until an error reply.
	Run(cmds [][]string) error
}

// engineStore is an in-process engine. Commands come in pipelines, so that the commands are
// measured and not the time that two goroutines need to wake each other, which depends on how long
// they have waited.
type engineStore struct{ e *engine.Engine }

// Run implements [store].
func (s engineStore) Run(cmds [][]string) error {
	sess, err := s.e.NewSession()
	if err != nil {
		return err
	}
	defer sess.Close()
	b := enginedoor.Batch{Commands: cmds}
	if err := enginedoor.Of(sess).RunBatch(context.Background(), &b); err != nil {
		return err
	}
	for _, v := range b.Replies {
		if v.IsError() {
			return v.Err()
		}
	}
	return nil
}

// filling adds the elements of a subject: per elements per command. add appends the arguments for
// element i.
type filling struct {
	per   int
	begin []string // command name and key
	add   func(args []string, i int) []string
}

// fill adds n elements to s, beginning with element first.
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
