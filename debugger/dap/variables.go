package dap

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// valueLimit cuts values, in bytes; who wants all of a text evaluates it for the clipboard.
const valueLimit = 1024

// container is what the client can open at a stop.
type container struct {
	level   int // of the frame in which names of variables mean something; -1: none
	list    lister
	indexed int // how many of the variables, the first ones, are elements of a list
}

// lister lists the variables of a container, on the script's goroutine. Those that nobody looks at are not described.
type lister func(*engine.Stack) ([]entry, error)

// entry describes one variable.
type entry func() variable

// variable is one variable of a container.
type variable struct {
	dap.Variable
	set func(*engine.Stack, engine.LuaValue) error // nil: it can't be
	key string                                     // of KEYS: the Redis key
}

// open numbers a container.
func (c *conn) open(k container) int {
	c.lastID++
	c.refs[c.lastID] = k
	return c.lastID
}

// describeValue tells a value of a script.
func (c *conn) describeValue(name, evaluate string, level int, v engine.LuaValue) dap.Variable {
	told := dap.Variable{Name: name, EvaluateName: evaluate, Value: debugger.Format(v, valueLimit), Type: c.typeName(v.Kind().String())}
	if v.Kind() == engine.LuaTable {
		told.VariablesReference, told.IndexedVariables, told.NamedVariables = c.openTable(evaluate, level, v)
	}
	return told
}

// typeName is the name of a type, for clients that show it.
func (c *conn) typeName(name string) string {
	if c.client.SupportsVariableType {
		return name
	}
	return ""
}

// openTable makes the fields of a table a container. A table without fields is none.
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

// field tells one field of a table.
func (c *conn) field(table string, level int, of engine.LuaValue, f engine.LuaField) variable {
	name, evaluate := debugger.Format(f.Key, 64), ""
	suffix := ""
	switch k := f.Key; {
	case k.Kind() == engine.LuaString && isName(k.Text()):
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

// assign gives what an expression names another value. It works in a later run too, in which tables are others.
func assign(level int, expression string) func(*engine.Stack, engine.LuaValue) error {
	return func(s *engine.Stack, to engine.LuaValue) error {
		table, key := cutLast(expression)
		if table == "" {
			return fmt.Errorf("%s can't be set", expression)
		}
		values, err := s.Eval(level, "@set", "return ("+table+"), ("+key+")")
		if err != nil {
			return err
		}
		if len(values) != 2 || values[0].Kind() != engine.LuaTable {
			return fmt.Errorf("%s is no table any more", table)
		}
		values[0].SetField(values[1], to)
		return nil
	}
}

// cutLast cuts "t.a.b" into t.a and "b", and t["x"] into t and "x".
func cutLast(expression string) (table, key string) {
	if dot := strings.LastIndexByte(expression, '.'); dot >= 0 && isName(expression[dot+1:]) {
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

// insideQuotes reports whether text, which ends with a quote, is more than one quoted text.
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

// isName reports whether s may stand as a name in a script.
func isName(s string) bool {
	for i := range len(s) {
		ch := s[i]
		if ch != '_' && (ch|0x20 < 'a' || ch|0x20 > 'z') && (i == 0 || ch < '0' || ch > '9') {
			return false
		}
	}
	return s != "" && !isKeyword(s)
}

// onVariables lists what a container holds, or a part of it.
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

// child is the variable of a container with a name.
func (c *conn) child(ref int, name string) (v variable, err error) {
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

// onSetVariable gives a variable the value of an expression.
func (c *conn) onSetVariable(r *dap.SetVariableRequest) (dap.ResponseMessage, error) {
	v, err := c.child(r.Arguments.VariablesReference, r.Arguments.Name)
	if err != nil {
		return nil, err
	}
	if v.set == nil {
		return nil, fmt.Errorf("%s can't be set", r.Arguments.Name)
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
		told := c.describeValue("", v.EvaluateName, level, value)
		response.Body = dap.SetVariableResponseBody{Value: told.Value, Type: told.Type, VariablesReference: told.VariablesReference,
			NamedVariables: told.NamedVariables, IndexedVariables: told.IndexedVariables}
		return nil
	})
	return response, err
}
