package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// costSubject is a value of many elements and an operation on it. One step adds element i to a
// value of about n elements and reads the random element x. away removes the elements from first to
// last again, so that the size stays the same; its time does not count.
type costSubject struct {
	name string
	filling
	step func(cmds [][]string, i, x int) [][]string
	away func(first, last int) []string
}

func costSubjects() []costSubject {
	const key = "subject"
	zadd := func(args []string, i int) []string { return append(args, score(i), member(i)) }
	hset := func(args []string, i int) []string { return append(args, member(i), "v"+member(i)) }
	one := func(args []string, i int) []string { return append(args, member(i)) }
	xadd := func(args []string, i int) []string { return append(args, streamID(i), "field", member(i)) }
	members := func(args ...string) func(first, last int) []string {
		return func(first, last int) []string {
			out := slices.Clone(args)
			for i := first; i < last; i++ {
				out = append(out, member(i))
			}
			return out
		}
	}
	return []costSubject{
		{"ZADD ZRANK", filling{500, []string{"ZADD", key}, zadd}, func(cmds [][]string, i, x int) [][]string {
			return append(cmds, []string{"ZADD", key, score(i), member(i)}, []string{"ZRANK", key, member(x)})
		}, members("ZREM", key)},
		{"LPUSH LINDEX", filling{500, []string{"LPUSH", key}, one}, func(cmds [][]string, i, x int) [][]string {
			return append(cmds, []string{"LPUSH", key, member(i)}, []string{"LINDEX", key, strconv.Itoa(i - x)})
		}, func(first, last int) []string { return []string{"RPOP", key, strconv.Itoa(last - first)} }},
		{"HSET HGET", filling{500, []string{"HSET", key}, hset}, func(cmds [][]string, i, x int) [][]string {
			return append(cmds, []string{"HSET", key, member(i), "v"}, []string{"HGET", key, member(x)})
		}, members("HDEL", key)},
		{"SADD SISMEMBER", filling{500, []string{"SADD", key}, one}, func(cmds [][]string, i, x int) [][]string {
			return append(cmds, []string{"SADD", key, member(i)}, []string{"SISMEMBER", key, member(x)})
		}, members("SREM", key)},
		{"XADD XRANGE", filling{1, []string{"XADD", key}, xadd}, func(cmds [][]string, i, x int) [][]string {
			return append(cmds,
				[]string{"XADD", key, streamID(i), "field", member(i)},
				[]string{"XRANGE", key, streamID(x), "+", "COUNT", "1"})
		}, func(_, last int) []string { return []string{"XTRIM", key, "MINID", streamID(last)} }},
		{"SET GET", filling{500, []string{"MSET"}, hset}, func(cmds [][]string, i, x int) [][]string {
			return append(cmds, []string{"SET", member(i), "v"}, []string{"GET", member(x)})
		}, members("DEL")},
	}
}

func streamID(i int) string { return strconv.Itoa(1_000_000+i/3) + "-" + strconv.Itoa(1+i%3) }

// costSizes are the numbers of elements; the last is compared with the first.
var costSizes = []int{1e3, 1e5, 1e7}

const (
	costSteps = 30_000 // steps of one round
	costBlock = 250    // consecutive steps without removal of elements
	// greatest allowed ratio of the times of a step in the largest and in the smallest value
	costBound = 2
)

// measured is a value of one size in one store, and its measurements.
type measured struct {
	store store
	timed store // the same store, as the steps access it
	n     int
	next  int // the next element to add
	watch func() (time.Duration, error)
	ns    []float64
}

// round measures costSteps steps.
func (m *measured) round(s costSubject, rng *rand.Rand) error {
	sum := time.Duration(0)
	var cmds [][]string
	for range costSteps / costBlock {
		oldest := m.next - m.n
		cmds = cmds[:0]
		for range costBlock {
			cmds = s.step(cmds, m.next, m.next-1-rng.IntN(m.n-1))
			m.next++
		}
		start, err := m.watch()
		if err != nil {
			return err
		}
		if err := m.timed.Run(cmds); err != nil {
			return err
		}
		end, err := m.watch()
		if err != nil {
			return err
		}
		sum += end - start
		if err := m.store.Run([][]string{s.away(oldest, oldest+costBlock)}); err != nil {
			return err
		}
	}
	m.ns = append(m.ns, float64(sum.Nanoseconds())/costSteps)
	return nil
}

// runCost measures the cost of a step in values of different sizes, which should depend little on
// the size. redis-server is measured by its processor time, because its commands come in pipelines.
func runCost(opt options) error {
	how := "in pipelines"
	if opt.calls {
		how = "one call at a time over loopback"
	}
	fmt.Printf("time of a step of two commands, %s, by number of elements; medians of %d rounds of %d steps\n\n",
		how, opt.rounds, costSteps)
	tw := newTable(os.Stdout)
	fmt.Fprint(tw, "\t\t")
	for _, n := range costSizes {
		fmt.Fprintf(tw, "%.0e: ns\t", float64(n))
	}
	fmt.Fprintln(tw, "last ÷ first\t\t")
	failed := 0
	for _, s := range costSubjects() {
		if !strings.Contains(s.name, opt.match) {
			continue
		}
		ok, err := raceCost(tw, s, opt)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if !ok {
			failed++
		}
	}
	runControl(tw, opt.rounds)
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Printf("\n%d ratios above %d\n\n", failed, costBound)
	return nil
}

func newTable(out io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// raceCost measures one subject and prints a line for each kind of store. ok reports whether
// Redmoon is within the bound.
func raceCost(out io.Writer, s costSubject, opt options) (ok bool, err error) {
	var ours, theirs []*measured
	defer func() {
		for _, m := range ours {
			if c, ok := m.timed.(*callStore); ok {
				c.stop()
			}
			m.store.(engineStore).e.Close()
		}
		for _, m := range theirs {
			m.store.(*redisStore).stop()
		}
		runtime.GC()
	}()
	for _, n := range costSizes {
		e, err := engine.New(engine.Options{})
		if err != nil {
			return false, err
		}
		watch := opt.watch
		m := &measured{store: engineStore{e}, timed: engineStore{e}, n: n, next: n}
		m.watch = func() (time.Duration, error) { return watch(), nil }
		ours = append(ours, m)
		if opt.calls {
			if m.timed, err = startCallStore(e); err != nil {
				return false, err
			}
		}
		if opt.local || opt.calls {
			continue
		}
		r, err := startRedisStore()
		if err != nil {
			return false, err
		}
		if r != nil {
			theirs = append(theirs, &measured{store: r, timed: r, n: n, next: n, watch: r.processorTime})
		}
	}
	all := append(slices.Clone(ours), theirs...)
	for _, m := range all {
		if err := s.fill(m.store, 0, m.n); err != nil {
			return false, err
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range opt.rounds + 1 { // the first round warms up
		runtime.GC()
		for k := range all {
			m := all[k]
			if round%2 == 1 {
				m = all[len(all)-1-k]
			}
			if err := m.round(s, rng); err != nil {
				return false, err
			}
			if round == 0 {
				m.ns = nil
			}
		}
	}
	ok = costLine(out, s.name, "redmoon", ours, true)
	if len(theirs) > 0 {
		costLine(out, s.name, "redis-server", theirs, false)
	}
	return ok, nil
}

// costLine prints the times of one kind of store, and a mark if the bound is exceeded.
func costLine(out io.Writer, name, kind string, ms []*measured, bound bool) bool {
	fmt.Fprintf(out, "%s\t%s\t", name, kind)
	for _, m := range ms {
		fmt.Fprintf(out, "%.0f\t", median(m.ns))
	}
	r := ratioOf(ms[len(ms)-1].ns, ms[0].ns)
	mark := ""
	if bound && r.medians > costBound {
		mark = "!"
	}
	fmt.Fprintf(out, "%v\t%s\t\n", r, mark)
	return mark == ""
}
