package convert

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/reply"
)

// Converter converts between replies and Lua values. It belongs to one goroutine.
type Converter struct {
	// Proto is the RESP version of the replies that scripts see, 2 or 3.
	Proto int
	// ShortNumbers: replies of the form {double=...} have few digits, as since Redis 7.2.
	ShortNumbers bool
	// Boxes makes the values.
	Boxes boxes.Boxes
	Ties

	open func(reply.Value) []lua.LValue
}

// Ties are what a converter needs of the program around it.
type Ties struct {
	// Budget limits the conversions.
	Budget *budget.Budget
	// Hashing is how tables that are made of replies hash strings.
	Hashing tables.Hashing
	// Real returns the table behind a read-only stand-in, and other tables as they are.
	Real func(*lua.LTable) *lua.LTable
	// Shown is Real, except that it returns what walks over the globals see.
	Shown func(*lua.LTable) *lua.LTable
	// BigNumbersEnd ends a big number at its first zero byte.
	BigNumbersEnd bool
	// ErrorField reads a field of an error table, with metamethods.
	ErrorField func(tb *lua.LTable, name string) lua.LValue
	// InnerError is called for an error that is an element of a reply.
	InnerError func(reply.Value)
}

// Tie connects the converter with the program around it.
func (c *Converter) Tie(t Ties) {
	c.Ties, c.open = t, c.elements
}

// Field returns a table with one field.
func (c *Converter) Field(name string, v lua.LValue) *lua.LTable {
	tb := c.Hashing.Use(tables.NewObject(1))
	tables.SetString(tb, name, v)
	return tb
}

// CountedField is the field of the table of an error that Redis's statistics have counted already.
const CountedField = "ignore_error_stats_update"

// ErrorTable returns the table for an error reply in a script.
func (c *Converter) ErrorTable(line string, counted bool) *lua.LTable {
	tb := c.Hashing.Use(tables.NewObject(2))
	// As in Redis, err comes first: pairs shows which did where both have the same place.
	tables.SetString(tb, "err", lua.LString(line))
	if counted { // the statistics of the command include it
		tables.SetString(tb, CountedField, lua.LTrue)
	}
	return tb
}

// Entries returns the entries of a table in the order of pairs: the array part first.
func (c *Converter) Entries(tb *lua.LTable) []tables.Entry {
	return tables.Entries(c.Shown(tb), nil)
}

// Each calls f for the entries of a table, in the order of pairs, until f returns false.
func (c *Converter) Each(L *lua.LState, tb *lua.LTable, f func(tables.Entry) bool) {
	tb = c.Shown(tb)
	n := tables.Size(tb)
	c.Budget.Work(L, n)
	cost := tables.HashSize(tb) * tables.HashCost
	c.Budget.Hold(L, cost)
	tables.Each(tb, f)
	c.Budget.Free(cost)
}
