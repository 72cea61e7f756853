package luavalue

import (
	"errors"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// maxDepth is the largest number of levels of tables that are compared or copied.
const maxDepth = 2000

// ErrDeep is the error for tables that nest deeper.
var ErrDeep = errors.New("tables are nested more than 2000 levels deep")

// Equal reports whether two values are equal: the same, or tables with equal values under the same
// keys. It looks at no metatables. The error is [ErrDeep].
func Equal(a, b luabridge.Value) (bool, error) {
	c := comparer{open: map[pair]bool{}}
	equal := c.equal(a, b, 0)
	if c.deep {
		return false, ErrDeep
	}
	return equal, nil
}

// pair is two tables that are being compared. What is inside them again is equal if they are.
type pair struct{ a, b uintptr }

type comparer struct {
	open map[pair]bool
	deep bool
}

func (c *comparer) equal(a, b luabridge.Value, depth int) bool {
	if a == b {
		return true
	}
	if a.Kind() != luabridge.TableKind || b.Kind() != luabridge.TableKind {
		return false
	}
	if depth >= maxDepth {
		c.deep = true
	}
	p := pair{a.ID(), b.ID()}
	if c.deep || c.open[p] {
		return true
	}
	c.open[p] = true
	fields := a.Fields()
	if len(fields) != len(b.Fields()) {
		return false
	}
	for _, f := range fields {
		other := b.Field(f.Key)
		if other.Kind() == luabridge.NilKind || !c.equal(f.Value, other, depth+1) {
			return false
		}
	}
	return true
}

// Copy returns a copy of a value with copies of the tables in it. Metatables are shared. What nests
// too deeply is not copied.
func Copy(t *luabridge.Tool, v luabridge.Value) luabridge.Value {
	return copyOf(t, v, map[uintptr]luabridge.Value{}, 0)
}

func copyOf(t *luabridge.Tool, v luabridge.Value, done map[uintptr]luabridge.Value, depth int) luabridge.Value {
	if v.Kind() != luabridge.TableKind || depth >= maxDepth {
		return v
	}
	if copied, ok := done[v.ID()]; ok {
		return copied
	}
	copied := t.Table()
	done[v.ID()] = copied
	for _, f := range v.Fields() {
		copied.SetField(copyOf(t, f.Key, done, depth+1), copyOf(t, f.Value, done, depth+1))
	}
	copied.SetMetatable(v.Metatable())
	return copied
}
