package luabridge

import (
	"strconv"
)

// Variable is a local, an upvalue or one of the values of ... .
type Variable struct {
	Name  string // "(for index)" and the like are those of a loop; varargs are "...1", "...2"
	Value Value

	set func(Value)
}

// Set gives the variable another value. What a numeric loop counts with ("(for index)", "(for limit)", "(for step)") stays as it is when the value is no number.
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

// Locals are those in scope, in the order in which they were declared, with those of loops and those that others of the same name hide.
func (f *Frame) Locals() []Variable {
	var vars []Variable
	f.eachLocal(func(l *local) {
		c := f.call
		vars = append(vars, Variable{l.name, f.stack.vm.value(c.Register(l.register)), func(to Value) { c.SetRegister(l.register, to.raw()) }})
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
	if o.stepped && o.locals == nil {
		o.locals = localsOf(fn.Proto)
	}
	pc := f.call.At()
	for i := range o.locals {
		if l := &o.locals[i]; l.from <= pc && pc < l.to {
			do(l)
		}
	}
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
