package redisapi

import (
	"context"
	"log/slog"
	"strings"

	lua "github.com/yuin/gopher-lua"
	json "layeh.com/gopher-json"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Print is redis.debug, and print in evaluated code. Without a debugger Redis drops the arguments.
// Here they are logged at level debug, so that an author can watch the script. The script sees no
// difference.
func (r *Library) Print(L *lua.LState) int {
	if r.Console != nil {
		r.Console.Print(L)
		r.Poll(L)
		return 0
	}
	ctx := context.Background()
	if !r.Logger.Enabled(ctx, slog.LevelDebug) {
		return 0
	}
	var b strings.Builder
	for i := 1; i <= L.GetTop(); i++ {
		if i > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(r.inspect(L, L.Get(i)))
	}
	r.Logger.Log(ctx, slog.LevelDebug, b.String(), "from", "redis.debug", "script", r.SHA())
	return 0
}

// breakpoint is redis.breakpoint(). It returns false without a debugger.
func (r *Library) breakpoint(L *lua.LState) int {
	stop := r.Console != nil && r.Console.Breakpoint(L)
	r.Poll(L)
	L.Push(lua.LBool(stop))
	return 1
}

// Limits of what redis.debug shows of a table. A script may make tables of any depth and size, and
// put a table into itself.
const (
	shownDepth   = 32       // levels of nested tables
	shownEntries = 1 << 12  // keys and values in all
	shownText    = 64 << 10 // bytes of strings in all
)

// inspect returns a value as readable text: a table as JSON if it can be written so and is not too
// large, anything else as by tostring.
func (r *Library) inspect(L *lua.LState, v lua.LValue) string {
	if tb, ok := v.(*lua.LTable); ok {
		c := stockCopier{l: L, shown: r.Convert.Shown, open: map[*lua.LTable]bool{}}
		if copied := c.table(tb); !c.failed {
			if text, err := json.Encode(copied); err == nil {
				return string(text)
			}
		}
	}
	if s, ok := args.Text(v); ok {
		return s
	}
	return v.String()
}

// stockCopier copies tables into tables of gopher-lua's own form, because gopher-json reads them by
// gopher-lua's functions.
type stockCopier struct {
	l       *lua.LState
	shown   func(*lua.LTable) *lua.LTable
	open    map[*lua.LTable]bool // the tables that are being copied
	entries int
	text    int  // bytes of strings
	failed  bool // the value is too large, or a table contains itself; the copy is not used
}

// table copies a table and the tables in it.
func (c *stockCopier) table(tb *lua.LTable) *lua.LTable {
	copied := c.l.NewTable()
	if len(c.open) == shownDepth || c.open[tb] {
		c.failed = true
		return copied
	}
	c.open[tb] = true
	tables.Each(c.shown(tb), func(e tables.Entry) bool {
		key, value := c.value(e.Key), c.value(e.Value)
		if c.failed {
			return false
		}
		if n, ok := key.(lua.LNumber); ok && n > shownEntries { // gopher-lua allocates room for all smaller numbers
			copied.RawSetH(n, value)
		} else {
			copied.RawSet(key, value)
		}
		return true
	})
	delete(c.open, tb)
	return copied
}

// value copies a key or a value.
func (c *stockCopier) value(v lua.LValue) lua.LValue {
	c.entries++
	switch v := v.(type) {
	case lua.LString:
		c.text += len(v)
	case *lua.LTable:
		if !c.failed {
			return c.table(v)
		}
	}
	c.failed = c.failed || c.entries > shownEntries || c.text > shownText
	return v
}
