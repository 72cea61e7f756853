package luabridge

import (
	"context"
	"log/slog"
	"strings"

	lua "github.com/yuin/gopher-lua"
	json "layeh.com/gopher-json"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// redisDebug is redis.debug. Without a debugger Redis drops the arguments. Here they are logged at
// level debug, so that an author can watch the script. The script sees no difference.
func (vm *VM) redisDebug(L *lua.LState) int {
	if vm.debugger != nil {
		return vm.debugPrint(L)
	}
	ctx := context.Background()
	if !vm.opt.Logger.Enabled(ctx, slog.LevelDebug) {
		return 0
	}
	var b strings.Builder
	for i := 1; i <= L.GetTop(); i++ {
		if i > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(vm.inspect(L.Get(i)))
	}
	vm.opt.Logger.Log(ctx, slog.LevelDebug, b.String(), "from", "redis.debug", "script", vm.script.SHA)
	return 0
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
func (vm *VM) inspect(v lua.LValue) string {
	if tb, ok := v.(*lua.LTable); ok {
		c := stockCopier{vm: vm, open: map[*lua.LTable]bool{}}
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
	vm      *VM
	open    map[*lua.LTable]bool // the tables that are being copied
	entries int
	text    int  // bytes of strings
	failed  bool // the value is too large, or a table contains itself; the copy is not used
}

// table copies a table and the tables in it.
func (c *stockCopier) table(tb *lua.LTable) *lua.LTable {
	copied := c.vm.L.NewTable()
	if len(c.open) == shownDepth || c.open[tb] {
		c.failed = true
		return copied
	}
	c.open[tb] = true
	tables.Each(c.vm.globals.Shown(tb), func(e tables.Entry) bool {
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
