package lint

import (
	"math/big"
	"strconv"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var numberRules = []*Rule{
	{
		ID: "big-number", Severity: Warning,
		Summary: "a number above 2^53, or arithmetic that passes it",
		Why: "Lua's numbers are doubles: above 9007199254740992 not every integer exists, and results are rounded\n" +
			"silently. Keep such numbers as texts and let Redis add them (`INCRBY`), or use a smaller unit.",
		Bad:   Example{Script: "return redis.call('SET', KEYS[1], 9007199254740993)"},
		Good:  Example{Script: "return redis.call('SET', KEYS[1], '9007199254740993')"},
		check: checkBigNumbers,
	},
}

// exact is 2^53: up to it every integer is a double.
const exact = 1 << 53

func checkBigNumbers(p *pass) {
	for _, n := range p.nodes {
		switch n := n.(type) {
		case *luatree.Number:
			text := p.tree.Text(n.Range)
			if i, ok := new(big.Int).SetString(text, 10); ok && len(text) <= 400 && !sameInteger(n.Value, i) {
				p.report(n.Range, "%s becomes %s: a number above 2^53 is rounded", p.quote(n), strconv.FormatFloat(n.Value, 'f', 0, 64))
			}
		case *luatree.Binary:
			p.checkBigResult(n)
		}
	}
}

// sameInteger reports whether a float is exactly an integer.
func sameInteger(f float64, i *big.Int) bool {
	whole, _ := new(big.Float).SetFloat64(f).Int(nil)
	return whole.Cmp(i) == 0
}

func (p *pass) checkBigResult(b *luatree.Binary) {
	x, okX := p.number(b.L)
	y, okY := p.number(b.R)
	switch {
	case b.Op == "*" && (p.ofTime(b.L) && y >= exact/2e9 || p.ofTime(b.R) && x >= exact/2e9):
		p.report(b.Span(), "the time in this unit is above 2^53 and is rounded")
	case !okX || !okY || x > exact || y > exact || x < -exact || y < -exact:
	case b.Op == "+" && x+y >= exact, b.Op == "*" && (x*y > exact || x*y < -exact) && x == float64(int64(x)) && y == float64(int64(y)):
		result := new(big.Int).Add(big.NewInt(int64(x)), big.NewInt(int64(y)))
		value := x + y
		if b.Op == "*" {
			result.Mul(big.NewInt(int64(x)), big.NewInt(int64(y)))
			value = x * y
		}
		if !sameInteger(value, result) {
			p.report(b.Span(), "the result is above 2^53 and is rounded")
		}
	}
}
