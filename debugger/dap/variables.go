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

// valueLimit is the maximum length of a value in bytes. The clipboard gets the whole value.
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

// open gives a container an id.
func (c *conn) open(k container) int {
	c.lastID++
	c.refs[c.lastID] = k
	return c.lastID
}

// describeValue describes a Lua value.
func (c *conn) describeValue(name, evaluate string, level int, v engine.LuaValue) dap.Variable {
	described := dap.Variable{
		Name: name, EvaluateName: evaluate, Value: debugger.Format(v, valueLimit), Type: c.client.typeName(v.Kind().String()),
	}
	if v.Kind() == engine.LuaTable {
		described.VariablesReference, described.IndexedVariables, described.NamedVariables = c.openTable(evaluate, level, v)
	}
	return described
}

// openTable makes a container of the fields of a table. ref is 0 for an empty table.
func (c *conn) openTable(evaluate string, level int, v engine.LuaValue) (ref, indexed, named int) {
	fields := v.Fields()
	if len(fields) == 0 {
		return 0, 0, 0
	}
	for indexed < len(fields) && isIndex(fields[indexed].Key, indexed+1) {
		indexed++
	}
	list := func(*engine.Stack) (all []entry, err error) {
		for _, f := range v.Fields() {
			all = append(all, func() variable { return c.field(evaluate, level, v, f) })
		}
		return all, nil
	}
	return c.open(container{level: level, list: list, indexed: indexed}), indexed, len(fields) - indexed
}

// isIndex reports whether a key is the number n.
func isIndex(key engine.LuaValue, n int) bool {
	return key.Kind() == engine.LuaNumber && key.Number() == float64(n)
}

// field describes a field of a table.
func (c *conn) field(table string, level int, of engine.LuaValue, f engine.LuaField) variable {
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
	v.Variable = c.describeValue(name, evaluate, level, f.Value)
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

// onVariables returns the variables of a container, or some of them.
func (c *conn) onVariables(r *dap.VariablesRequest) (dap.ResponseMessage, error) {
	k, known := c.refs[r.Arguments.VariablesReference]
	if !known {
		return nil, fmt.Errorf("there are no variables %d at this stop", r.Arguments.VariablesReference)
	}
	response := &dap.VariablesResponse{}
	response.Body.Variables = []dap.Variable{}
	err := c.at(func(s *engine.Stack) error {
		all, err := k.list(s)
		if err != nil {
			return err
		}
		switch r.Arguments.Filter {
		case "indexed":
			all = all[:min(k.indexed, len(all))]
		case "named":
			all = all[min(k.indexed, len(all)):]
		}
		first := min(max(r.Arguments.Start, 0), len(all))
		all = all[first:]
		if r.Arguments.Count > 0 {
			all = all[:min(r.Arguments.Count, len(all))]
		}
		for _, v := range all {
			response.Body.Variables = append(response.Body.Variables, v().Variable)
		}
		return nil
	})
	return response, err
}

// findVariable returns the variable of a container with a name. If there are several, the last one
// hides the others.
func (c *conn) findVariable(ref int, name string) (v variable, err error) {
	k, known := c.refs[ref]
	if !known {
		return v, fmt.Errorf("there are no variables %d at this stop", ref)
	}
	err = c.at(func(s *engine.Stack) error {
		all, err := k.list(s)
		if err != nil {
			return err
		}
		found := false
		for _, each := range all {
			if described := each(); described.Name == name {
				v, found = described, true // the last one hides those before it
			}
		}
		if !found {
			return fmt.Errorf("there is no variable %s", name)
		}
		return nil
	})
	return v, err
}

// onSetVariable assigns the value of an expression to a variable.
func (c *conn) onSetVariable(r *dap.SetVariableRequest) (dap.ResponseMessage, error) {
	v, err := c.findVariable(r.Arguments.VariablesReference, r.Arguments.Name)
	if err != nil {
		return nil, err
	}
	if v.set == nil {
		return nil, fmt.Errorf("%s cannot be set", r.Arguments.Name)
	}
	level := max(c.refs[r.Arguments.VariablesReference].level, 0)
	var value engine.LuaValue
	err = c.change(func(s *engine.Stack) error {
		values, err := s.Eval(level, "@value", r.Arguments.Value)
		if err != nil {
			return err
		}
		if len(values) != 1 {
			return fmt.Errorf("%q are %d values", r.Arguments.Value, len(values))
		}
		value = values[0]
		return v.set(s, value)
	})
	if err != nil {
		return nil, err
	}
	response := &dap.SetVariableResponse{}
	err = c.at(func(*engine.Stack) error {
		described := c.describeValue("", v.EvaluateName, level, value)
		response.Body = dap.SetVariableResponseBody{
			Value: described.Value, Type: described.Type, VariablesReference: described.VariablesReference,
			NamedVariables: described.NamedVariables, IndexedVariables: described.IndexedVariables,
		}
		return nil
	})
	return response, err
}
