package luabridge

import (
	"slices"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// code is a compiled text. Several VMs may run it, so nobody changes it. A text that is counted or
// measured belongs to one VM.
type code struct {
	proto *lua.FunctionProto
	given luac.Given
	debug debugInfo

	places []*luac.Places // with luac.Options.Places, until watch is set
	watch  *watched       // nil: nothing is counted or measured; see compileText
}

// environment describes the globals of scripts to the machine.
var environment = globals.Environment()

// compile compiles a text for scripts. The error's text is Lua's, position first.
func compile(source, name string, o luac.Options) (code, error) {
	return compileIn(environment, source, name, o)
}

// compileIn compiles a text for an environment; nil: one whose globals can be written.
func compileIn(env *machine.Environment, source, name string, o luac.Options) (code, error) {
	chunk, err := luac.Compile(source, name, o)
	if err != nil {
		return code{}, err
	}
	machine.Adapt(chunk.Proto, env)
	c := code{proto: chunk.Proto, given: chunk.Given, debug: debugInfo{}, places: chunk.Places}
	c.debug.add(c.proto)
	return c, nil
}

// unplaced reports whether an error is raised like a run-time error, without a place in the text.
func unplaced(err error) bool { return err == luac.ErrConstants || err == luac.ErrVariables }

// debugInfo maps the functions of a text to where they come from.
type debugInfo map[*lua.FunctionProto]*origin

// add adds a function and those in it, in the order in which they begin in the text.
func (info debugInfo) add(p *lua.FunctionProto) {
	info[p] = &origin{number: len(info)}
	for _, inner := range p.FunctionPrototypes {
		info.add(inner)
	}
}

// origin is where a function comes from.
type origin struct {
	number int    // number of the function in its text; see luac.Function
	chunk  string // what chunkOf returns; "" in a script's own text
	text   *text  // nil: the script's own

	once   sync.Once // several VMs may ask for the locals
	locals []local   // in the order in which they were declared; see localsOf
}

// localsOf returns the locals of the function p, which comes from o.
func (o *origin) localsOf(p *lua.FunctionProto) []local {
	o.once.Do(func() { o.locals = localsOf(p) })
	return o.locals
}

// text is a text that a running script compiled, for example by loadstring.
type text struct{ source, name string }

// local is a local variable: the register that holds it, and the instructions before which it is in
// scope.
type local struct {
	name     string
	register int
	from, to int // the first, and the one behind the last
}

// localsOf returns the locals of a function. Each has the register that follows those of the others
// in scope.
func localsOf(p *lua.FunctionProto) []local {
	locals := make([]local, len(p.DbgLocals))
	var ends []int // of the locals in scope
	for i, l := range p.DbgLocals {
		for len(ends) > 0 && ends[len(ends)-1] <= l.StartPc {
			ends = ends[:len(ends)-1]
		}
		locals[i] = local{name: l.Name, register: len(ends), from: l.StartPc, to: l.EndPc}
		ends = append(ends, l.EndPc)
	}
	return slices.Clip(locals)
}
