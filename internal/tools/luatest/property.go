package luatest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/choices"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// What a property does by default: runs, and runs to find smaller values.
const (
	defaultRuns = 100
	shrinkRuns  = 500
)

// property is a test that runs many times, each time with other values.
type property struct {
	gens []generator
	runs int    // 0: as the options say
	seed uint64 // 0: that of the file
}

// propertyWord is property(name [, options], generator ..., function).
func (f *File) propertyWord(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	b, err := f.builds("property")
	if err != nil {
		return nil, err
	}
	name, err := named(c, false)
	if err != nil {
		return nil, err
	}
	t := &test{name: name, line: f.lineOf(c), block: b, property: &property{}}
	rest := c.From(1)
	if len(rest) > 0 && rest[0].Kind() == luabridge.TableKind {
		if _, ok := f.gens.of(rest[0]); !ok {
			if err := t.property.read(rest[0]); err != nil {
				return nil, err
			}
			rest = rest[1:]
		}
	}
	if len(rest) == 0 || rest[len(rest)-1].Kind() != luabridge.FunctionKind {
		return nil, c.BadArgument(len(c.Args), "function expected behind the generators")
	}
	t.fn = rest[len(rest)-1]
	for i, v := range rest[:len(rest)-1] {
		g, ok := f.gens.of(v)
		if !ok {
			return nil, c.BadArgument(len(c.Args)-len(rest)+i, "a generator expected, such as gen.integer()")
		}
		t.property.gens = append(t.property.gens, g)
	}
	b.children = append(b.children, node{test: t})
	return nil, nil
}

// read reads the options of a property.
func (p *property) read(table luabridge.Value) error {
	for _, field := range table.Fields() {
		n := field.Value.Number()
		if field.Value.Kind() != luabridge.NumberKind || n < 1 || n > 1e9 {
			return fmt.Errorf("property: %s must be a number from 1", field.Key.Text())
		}
		switch field.Key.Text() {
		case "runs":
			p.runs = int(n)
		case "seed":
			p.seed = uint64(n)
		default:
			return fmt.Errorf("property has no option %s; it has runs and seed", field.Key.Text())
		}
	}
	return nil
}

// trial is a property in progress.
type trial struct {
	f    *File
	test *test
	seed uint64
}

// runProperty runs a property and adds its result.
func (f *File) runProperty(t *test) {
	start := time.Now()
	p := &trial{f: f, test: t, seed: f.values}
	if t.property.seed != 0 {
		p.seed = t.property.seed
	}
	result := Result{File: f.Path, Names: t.names(), Line: t.line}
	runs := p.runs()
	for i := 0; i < runs && f.ctx.Err() == nil; i++ {
		source := choices.Random(p.random(i))
		r, err := p.run(source, true)
		if err != nil {
			result.Status, result.Problems = Errored, []Problem{*f.problem("generators", err)}
			break
		}
		result.Status = statusOf(r.problems)
		f.record(r.run, result.Status, r.shown)
		switch {
		case f.second: // only what differs from the first run counts
		case result.Status != Passed:
			r.end(&result)
			r = p.smaller(r, source, i, runs)
			result.Status, result.Problems, result.Seed = statusOf(r.problems), r.problems, p.seed
		case r.pending:
			result.Status, result.Reason = Pending, r.reason
		}
		result.Output, result.Logs = f.takeOutput(), r.env.Logs()
		r.end(&result)
		if result.Status != Passed && !f.second {
			break
		}
	}
	result.Duration = time.Since(start)
	f.done(result)
}

// runs returns the number of runs. On a server they are those of the run before.
func (p *trial) runs() (n int) {
	f := p.f
	switch {
	case f.second:
		for _, rec := range f.first {
			if rec.result == len(f.results) {
				n++
			}
		}
	case p.test.property.runs > 0:
		n = p.test.property.runs
	case f.opt.Runs > 0:
		n = f.opt.Runs
	default:
		n = defaultRuns
	}
	return n
}

// random returns the source of a run, from 0. It depends on the seed and on the names of the test.
func (p *trial) random(run int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(p.test.names(), "\x00")))
	return rand.New(rand.NewPCG(p.seed, h.Sum64()+uint64(run)))
}

// trialRun is a run of a property.
type trialRun struct {
	*run
	shown string // its values
	ended bool
}

// end closes the engine of a run, once.
func (r *trialRun) end(to *Result) {
	if r.ended {
		return
	}
	r.ended = true
	if err := r.f.world.End(r.env); err != nil {
		to.Status = Errored
		to.Problems = append(to.Problems, Problem{Phase: "test", Message: "a mistake in Redmoon: " + err.Error()})
	}
}

// run makes values of a source and runs the test with them. The error is that of a generator. The
// caller must end the run.
func (p *trial) run(s *choices.Source, recorded bool) (*trialRun, error) {
	f := p.f
	values := make([]luabridge.Value, len(p.test.property.gens))
	words := make([]string, len(values))
	f.running = nil
	stop := f.limit() // generators call functions of the test
	for i, g := range p.test.property.gens {
		var err error
		if values[i], err = g(s); err != nil {
			stop()
			return nil, err
		}
		words[i] = luavalue.FormatShort(values[i])
	}
	stop()
	f.takeOutput()
	var on testredis.Server
	var first *testredis.Env
	if recorded {
		on, first = f.against()
	}
	return &trialRun{run: f.once(p.test, on, first, values...), shown: strings.Join(words, ", ")}, nil
}

// smaller looks for smaller values with which a run fails, and says in its problems which these
// are.
func (p *trial) smaller(r *trialRun, s *choices.Source, number, runs int) *trialRun {
	calls, best := 0, s.Made()
	if !r.stopped {
		_, calls = choices.Shrink(best, shrinkRuns, func(given []uint64) ([]uint64, bool) {
			if p.f.ctx.Err() != nil || p.f.tool.Broken() != "" {
				return nil, false
			}
			again := choices.Repeat(given)
			next, err := p.run(again, false)
			if err != nil {
				return nil, false
			}
			var ignored Result
			next.end(&ignored)
			if len(next.problems) == 0 || next.stopped {
				return nil, false
			}
			if made := again.Made(); choices.Simpler(made, best) {
				r, best = next, made
			}
			return again.Made(), true
		})
	}
	note := "with " + r.shown
	if r.shown == "" {
		note = "without values"
	}
	note += fmt.Sprintf("\n(run %d of %d; %d runs to find small values; seed %d repeats it)", number+1, runs, calls, p.seed)
	for i := range r.problems {
		r.problems[i].with(note)
	}
	return r
}

// with adds a note to a problem.
func (p *Problem) with(note string) {
	if p.Failure == nil {
		p.Message = note + "\n" + p.Message
		return
	}
	failure := *p.Failure
	if failure.Note != "" {
		note += "\n" + failure.Note
	}
	failure.Note = note
	p.Failure, p.Message = &failure, failure.Text()
}
