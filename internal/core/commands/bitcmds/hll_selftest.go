package bitcmds

import (
	"math"
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// pfselftest adds known numbers of elements to a sparse and a dense HyperLogLog. It fails when the
// estimates are off by more than the expected error, or when the two forms differ.
func pfselftest(c *server.Ctx) reply.Value {
	const elements = 200_000
	st := datastore.New(datastore.Options{})
	sparse, dense := datastore.NewHLL(), datastore.NewHLL()
	if err := dense.HLLDense(st); err != nil {
		return hllError(err)
	}
	next := 10
	for n := 1; n <= elements; n++ {
		e := []string{strconv.Itoa(n)}
		for _, s := range []*datastore.String{sparse, dense} {
			if up, err := s.HLLAdd(st, e); err != nil {
				return hllError(err)
			} else if up > 0 {
				s.HLLSetStale(st)
			}
		}
		if n < next {
			continue
		}
		next += next / 4
		a, _, _ := sparse.HLLCount(st)
		b, _, _ := dense.HLLCount(st)
		// The standard error is 1.04 divided by the root of the number of registers. The limit is four
		// times that, plus one for the rounding of small numbers.
		allowed := 4*1.04/math.Sqrt(datastore.HLLRegisters)*float64(n) + 1
		if a != b || math.Abs(float64(a)-float64(n)) > allowed {
			return reply.Errorf("TESTFAILED estimates of %d elements: %d sparse, %d dense", n, a, b)
		}
	}
	if sparse.Text() != dense.Text() {
		return reply.Err("TESTFAILED the sparse and the dense form did not become the same")
	}
	return reply.OK()
}
