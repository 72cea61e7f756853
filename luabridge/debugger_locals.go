package luabridge

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Variable is a local, an upvalue or one of the values of ... .
type Variable struct {
	Name  string // "(for index)" and the like are those of a loop; varargs are "...1", "...2"
	Value Value

	set func(Value)
}

// Set gives the variable another value.
func (v *Variable) Set(to Value) { v.set(to); v.Value = to }

// Locals are those in scope, in the order in which they were declared, with those of loops and those that others of the same name hide.
func (f *Frame) Locals() []Variable {
	var vars []Variable
	f.eachLocal(func(l *local) {
		v := Variable{Name: l.name}
		if c := f.call; l.key == "" {
			v.Value = f.stack.vm.value(c.Register(l.register))
			v.set = func(to Value) { c.SetRegister(l.register, to.raw()) }
		} else {
			f.spilled(&v, c.Register(l.register), l.key)
		}
		vars = append(vars, v)
	})
	return vars
}

// eachLocal calls do with the locals in scope.
func (f *Frame) eachLocal(do func(l *local)) {
	fn := f.call.Function()
	if fn.IsG {
		return
	}
	o := f.stack.vm.originOf(fn.Proto)
	if o == nil {
		return
	}
	pc := f.call.At()
	for i := range o.locals {
		if l := &o.locals[i]; l.from <= pc && pc < l.to {
			do(l)
		}
	}
}

// spilled makes v a field of a table of spilled locals.
func (f *Frame) spilled(v *Variable, table lua.LValue, key string) {
	tb, ok := table.(*lua.LTable)
	if !ok {
		return
	}
	v.Value = f.stack.vm.value(tables.Get(tb, lua.LString(key)))
	v.set = func(to Value) { tables.SetString(tb, key, to.raw()) }
}

// Upvalues are the locals of outer functions that the function uses.
func (f *Frame) Upvalues() []Variable {
	fn := f.call.Function()
	if fn.IsG {
		return nil
	}
	var vars []Variable
	for i, up := range fn.Upvalues {
		name := fn.Proto.DbgUpvalues[i]
		if strings.HasPrefix(name, spillMark) {
			for _, l := range f.stack.vm.originOf(fn.Proto).spilled[name] {
				v := Variable{Name: l.name}
				f.spilled(&v, up.Value(), l.key)
				vars = append(vars, v)
			}
			continue
		}
		vars = append(vars, Variable{name, f.stack.vm.value(up.Value()), func(to Value) { up.SetValue(to.raw()) }})
	}
	return vars
}

// Varargs are the values of "...".
func (f *Frame) Varargs() []Variable {
	c := f.call
	if c.Function().IsG {
		return nil
	}
	var vars []Variable
	for i := range c.Varargs() {
		vars = append(vars, Variable{"..." + strconv.Itoa(i+1), f.stack.vm.value(c.Vararg(i)), func(to Value) { c.SetVararg(i, to.raw()) }})
	}
	return vars
}
