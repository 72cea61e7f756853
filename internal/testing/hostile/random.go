package hostile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Random returns the program of a seed. The same seed gives the same program.
func Random(seed uint64) Program {
	g := &generator{r: rand.New(rand.NewPCG(seed, 7))}
	p := Program{Name: fmt.Sprintf("seed-%d", seed), Door: Eval}
	if seed%3 == 0 {
		p.Body = g.grower()
	} else {
		p.Body = g.program()
	}
	switch g.r.IntN(8) {
	case 0:
		p.Door = Function
	case 1:
		p.Door = Load
	}
	return p
}

type generator struct {
	r     *rand.Rand
	b     strings.Builder
	names int // variables made so far: v1, v2 …
	depth int // blocks around the statement that is being made
}

func (g *generator) program() string {
	g.b.WriteString("local keep = {}\n")
	for range g.r.IntN(3) {
		g.line(pick(g, settings))
	}
	g.values(1 + g.r.IntN(3))
	for range 1 + g.r.IntN(4) {
		g.statement()
	}
	g.line("return " + pick(g, []string{"keep", g.value(), g.use(), "#keep", "{" + g.value() + "," + g.value() + "}",
		"{err=" + g.value() + "}", "{ok=" + g.value() + "}", "{map=" + g.value() + "}", "{set=" + g.value() + "}"}))
	return g.b.String()
}

// settings lift the limits that a script may lift.
var settings = []string{
	"cjson.encode_max_depth(2147483647)",
	"cjson.decode_max_depth(2147483647)",
	"cjson.encode_sparse_array(true, 1, 1)",
	"cjson.encode_sparse_array(false, 2147483647, 2147483647)",
	"cjson.encode_keep_buffer(false)",
	"cjson.encode_number_precision(1)",
	"cjson.encode_invalid_numbers(true)",
	"pcall(redis.setresp, 3)",
	"pcall(redis.set_repl, 0)",
}

func pick[T any](g *generator, list []T) T { return list[g.r.IntN(len(list))] }

func (g *generator) line(text string) {
	g.b.WriteString(text)
	g.b.WriteByte('\n')
}

// size is a number from least to most: small ones are as likely as large ones.
func (g *generator) size(least, most float64) int {
	return int(math.Exp(math.Log(least) + g.r.Float64()*(math.Log(most)-math.Log(least))))
}

// value is the name of a variable.
func (g *generator) value() string { return fmt.Sprintf("v%d", 1+g.r.IntN(g.names)) }

// values declares variables that hold large, deep or shared values.
func (g *generator) values(n int) {
	for range n {
		name := fmt.Sprintf("v%d", g.names+1)
		g.line("local " + name)
		g.line("do local v " + pick(g, makers)(g) + " " + name + " = v end")
		g.names++
	}
}

// statement uses values, within what makes the use harder to stop.
func (g *generator) statement() {
	if g.depth < 3 && g.r.IntN(2) == 0 {
		w := pick(g, wrappers)
		before, after := w(g)
		g.line(before)
		g.depth++
		for range 1 + g.r.IntN(2) {
			g.statement()
		}
		g.depth--
		g.line(after)
		return
	}
	switch use := g.use(); g.r.IntN(4) {
	case 0:
		g.line("keep[#keep+1] = " + use)
	case 1:
		g.line(g.value() + " = " + use)
	default:
		g.line("local _ = pcall(function() return " + use + " end)")
	}
}

// use is an expression that hands values to a library.
func (g *generator) use() string { return pick(g, uses)(g) }
