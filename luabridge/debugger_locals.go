package luabridge

import (
	"strconv"
	"strings"
)

// Variable is a local, an upvalue or one of the values of ... .
type Variable struct {
	Name  string // hidden variables of loops are "(for index)" and so on; varargs are "...1", "...2"
	Value Value

	set func(Value)
}

// Hidden reports whether it is a variable of the machine, such as "(for index)", which no code can
// name.
func (v Variable) Hidden() bool { return strings.HasPrefix(v.Name, "(") }

// Set assigns to the variable. The control values of a numeric loop ("(for index)", "(for limit)",
// "(for step)") do not change if the value is not a number.
func (v *Variable) Set(to Value) {
	switch v.Name {
	case "(for index)", "(for limit)", "(for step)":
		if to.Kind() != NumberKind {
			return
		}
	}
	v.set(to)
	v.Value = to
}

// Locals returns the locals in scope in the order of their declarations. They include the hidden
// variables of loops, and variables that others of the same name hide.
func (f *Frame) Locals() []Variable {
	var vars []Variable
	f.eachLocal(func(l *local) {
		c := f.call
		vars = append(vars, Variable{l.name, f.stack.vm.value(c.Register(l.register)), func(to Value) { c.SetRegister(l.register, to.raw()) }})
	})
	return vars
}

// eachLocal calls do for the locals in scope.
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
	locals := o.localsOf(fn.Proto)
	for i := range locals {
		if l := &locals[i]; l.from <= pc && pc < l.to {
			do(l)
		}
	}
}

// Upvalues returns the locals of outer functions that the function uses.
func (f *Frame) Upvalues() []Variable {
	fn := f.call.Function()
	if fn.IsG {
		return nil
	}
	var vars []Variable
	for i, up := range fn.Upvalues {
		name := fn.Proto.DbgUpvalues[i]
		vars = append(vars, Variable{name, f.stack.vm.value(up.Value()), func(to Value) { up.SetValue(to.raw()) }})
	}
	return vars
}

// Varargs returns the values of "...".
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
