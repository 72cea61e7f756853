package dap

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/debugger/internal/luaname"
	"github.com/redmoon-lua/redmoon/engine"
)

// valueLimit is the maximum length of a value in bytes. The clipboard gets the whole value, as JSON
// if it has that form.
const valueLimit = 1024

// container is a group of variables that the client can open at a stop.
type container struct {
	level   int // level of the frame in which the names of the variables are valid; -1: none
	list    lister
	indexed int // number of variables at the beginning that are elements of a list
}

// lister lists the variables of a container. It runs on the engine's goroutine. Each entry is
// described only if the client needs it.
type lister func(*engine.Stack) ([]entry, error)

// entry describes one variable.
type entry func() variable

// variable is one variable of a container.
type variable struct {
	dap.Variable
	set func(*engine.Stack, engine.LuaValue) error // nil: the variable cannot be set
	key string                                     // for an element of KEYS: the Redis key
}

// variables describes values to the client. It owns the ids by which the client names frames and
// groups of variables. An id is valid until the script runs again, and is not used twice.
type variables struct {
	client *clientView
	refs   map[int]container
	frames map[int]frameRef
	lastID int // last id in refs and frames
}

// frameRef is a frame that the client knows.
type frameRef struct {
	level int
	// level in which expressions are evaluated: that of the calling script function if the frame is
	// a library function
	scope int
}

// forget makes all ids invalid.
func (vs *variables) forget() {
	clear(vs.refs)
	clear(vs.frames)
}

// openFrame gives a frame an id.
func (vs *variables) openFrame(f frameRef) int {
	vs.lastID++
	vs.frames[vs.lastID] = f
	return vs.lastID
}

// open gives a container an id.
func (vs *variables) open(k container) int {
	vs.lastID++
	vs.refs[vs.lastID] = k
	return vs.lastID
}

// describeValue describes a Lua value.
func (vs *variables) describeValue(name, evaluate string, level int, v engine.LuaValue) dap.Variable {
	described := dap.Variable{
		Name: name, EvaluateName: evaluate, Value: debugger.Format(v, valueLimit), Type: vs.client.typeName(v.Kind().String()),
	}
	if v.Kind() == engine.LuaTable {
		described.VariablesReference, described.IndexedVariables, described.NamedVariables = vs.openTable(evaluate, level, v)
	}
	return described
}

// describeValues describes the values of an expression.
func (vs *variables) describeValues(code string, level int, values []engine.LuaValue, context string) dap.EvaluateResponseBody {
	limit := valueLimit
	if context == "clipboard" {
		limit = 0
	}
	body := dap.EvaluateResponseBody{Result: debugger.FormatAll(values, limit)}
	if context == "clipboard" && len(values) == 1 {
		if text, err := debugger.JSON(values[0], ""); err == nil {
			body.Result = text
		}
	}
	switch len(values) {
	case 0:
	case 1:
		evaluate := ""
		if isPath(code) {
			evaluate = strings.TrimSpace(code)
		}
		described := vs.describeValue("", evaluate, level, values[0])
		body.Type, body.VariablesReference = described.Type, described.VariablesReference
		body.NamedVariables, body.IndexedVariables = described.NamedVariables, described.IndexedVariables
	default:
		body.Type, body.IndexedVariables = vs.client.typeName("values"), len(values)
		list := func(*engine.Stack) (all []entry, err error) {
			for i, v := range values {
				all = append(all, func() variable {
					return variable{Variable: vs.describeValue(fmt.Sprintf("[%d]", i+1), "", level, v)}
				})
			}
			return all, nil
		}
		body.VariablesReference = vs.open(container{level: level, indexed: len(values), list: list})
	}
	return body
}

// openTable makes a container of the fields of a table. ref is 0 for an empty table.
func (vs *variables) openTable(evaluate string, level int, v engine.LuaValue) (ref, indexed, named int) {
	fields := v.Fields()
	if len(fields) == 0 {
		return 0, 0, 0
	}
	for indexed < len(fields) && isIndex(fields[indexed].Key, indexed+1) {
		indexed++
	}
	list := func(*engine.Stack) (all []entry, err error) {
		for _, f := range v.Fields() {
			all = append(all, func() variable { return vs.field(evaluate, level, v, f) })
		}
		return all, nil
	}
	return vs.open(container{level: level, list: list, indexed: indexed}), indexed, len(fields) - indexed
}

// isIndex reports whether a key is the number n.
func isIndex(key engine.LuaValue, n int) bool {
	return key.Kind() == engine.LuaNumber && key.Number() == float64(n)
}

// field describes a field of a table.
func (vs *variables) field(table string, level int, of engine.LuaValue, f engine.LuaField) variable {
	name, evaluate := debugger.Format(f.Key, 64), ""
	suffix := ""
	switch k := f.Key; {
	case k.Kind() == engine.LuaString && luaname.Is(k.Text()):
		name, suffix = k.Text(), "."+k.Text()
	case k.Kind() == engine.LuaString:
		name = "[" + name + "]"
		suffix = "[" + debugger.Format(k, 0) + "]"
	case k.Kind() == engine.LuaNumber || k.Kind() == engine.LuaBoolean:
		name = "[" + name + "]"
		suffix = name
	default:
		name = "[" + name + "]"
	}
	if table != "" && suffix != "" {
		evaluate = table + suffix
	}
	v := variable{}
	v.Variable = vs.describeValue(name, evaluate, level, f.Value)
	if evaluate != "" {
		v.set = assign(level, evaluate)
	} else {
		v.set = func(_ *engine.Stack, to engine.LuaValue) error {
			of.SetField(f.Key, to)
			return nil
		}
	}
	if table == "KEYS" && f.Value.Kind() == engine.LuaString {
		v.key = f.Value.Text()
	}
	return v
}

// assign returns a function that assigns to the variable that an expression names. The function
// also works in a replay, in which tables are other objects.
func assign(level int, expression string) func(*engine.Stack, engine.LuaValue) error {
	return func(s *engine.Stack, to engine.LuaValue) error {
		table, key := cutLast(expression)
		if table == "" {
			return fmt.Errorf("%s cannot be set", expression)
		}
		values, err := s.Eval(level, "@set", "return ("+table+"), ("+key+")")
		if err != nil {
			return err
		}
		if len(values) != 2 || values[0].Kind() != engine.LuaTable {
			return fmt.Errorf("%s is not a table any more", table)
		}
		values[0].SetField(values[1], to)
		return nil
	}
}

// cutLast splits "t.a.b" into t.a and "b", and t["x"] into t and "x".
func cutLast(expression string) (table, key string) {
	if dot := strings.LastIndexByte(expression, '.'); dot >= 0 && luaname.Is(expression[dot+1:]) {
		return expression[:dot], strconv.Quote(expression[dot+1:])
	}
	if !strings.HasSuffix(expression, "]") {
		return "", ""
	}
	quoted := strings.HasSuffix(expression, `"]`)
	for i := len(expression) - 2; i > 0; i-- {
		if expression[i] == '[' && (!quoted || expression[i+1] == '"' && !insideQuotes(expression[i+1:len(expression)-1])) {
			return expression[:i], expression[i+1 : len(expression)-1]
		}
	}
	return "", ""
}

// insideQuotes reports whether text, which ends with a quote, is more than one quoted string.
func insideQuotes(text string) bool {
	for i := 1; i < len(text)-1; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return true
		}
	}
	return len(text) < 2
}
