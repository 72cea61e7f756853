package luagen

import (
	"fmt"
	"strings"
)

// keys of tables whose order and length are looked at.
var keys = []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "0", "-1", "-2", "0.5", "2.5", "16", "17", "32", "33", "64", "100",
	"1000", "2^31", "1e15",
	"true", "false", "'a'", "'b'", "'c'", "'d'", "'id'", "'key'", "'name'", "'value'", "'x1'", "'x2'", "'1'", "'2'", "''",
	"'a long key of more than thirty-two bytes'", "-100", "1e300"}

func (g *generator) tableKey(pool int) string {
	switch pool {
	case 0:
		return keys[g.n(10)]
	case 1:
		return keys[24+g.n(len(keys)-24)]
	}
	return keys[g.n(len(keys))]
}

// tableOps changes a table many times and shows it.
func (g *generator) tableOps() {
	t := g.fresh()
	pool := g.n(4)
	g.put("local " + t + " = " + g.shape(pool) + "\n")
	g.add(t, tTab)
	switch g.n(6) {
	case 0:
		from, to := 1+g.n(3), 3+g.n(30)
		g.put(fmt.Sprintf("for i = %d,%d do %s[%s] = i end\n", from, to, t, g.one("i", "-i", "i*2", "'k'..i", "i%7", "i/2", "40-i", "i*i",
			"tostring(i)")))
	case 1:
		g.put(fmt.Sprintf("for i = %d,1,-1 do %s[i] = i end\n", 2+g.n(20), t))
	case 2:
		g.put(fmt.Sprintf("for i = 1,%d do %s[#%s+1] = i %s end\n", 2+g.n(20), t, t, g.one("", "if i%3==0 then "+t+"[#"+t+"] = nil end",
			"if i%4==0 then table.remove("+t+",1) end")))
	}
	for range g.n(16) {
		k := g.tableKey(pool)
		switch g.n(12) {
		case 0, 1, 2:
			g.put(t + "[" + k + "]=nil ")
		case 3:
			g.put("table.insert(" + t + "," + g.num(0) + ") ")
		case 4:
			g.put("O(table.remove(" + t + ")) ")
		case 5:
			g.put("O(#" + t + ") ")
		default:
			g.put(t + "[" + k + "]=" + g.one("1", "2", "'v'", "true", g.num(1)) + " ")
		}
	}
	g.put("\n")
	for range 1 + g.n(3) {
		g.put(g.look(t))
	}
}

// shape is a constructor of plain values.
func (g *generator) shape(pool int) string {
	var fields []string
	for range g.n(9) {
		switch g.n(5) {
		case 0, 1:
			fields = append(fields, g.one("1", "'p'", "true", "nil", "2.5"))
		case 2:
			fields = append(fields, g.one("a", "b", "c", "id", "name", "value")+"="+g.one("1", "'x'", "nil", "false"))
		default:
			fields = append(fields, "["+g.tableKey(pool)+"]="+g.one("1", "'y'", "nil", "3"))
		}
	}
	if g.chance(5) {
		fields = append(fields, g.one("unpack({1,2,3})", "unpack({1,nil,3},1,3)", "...", "(unpack({1,2}))"))
		if !g.vararg && fields[len(fields)-1] == "..." {
			fields = fields[:len(fields)-1]
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

func (g *generator) look(t string) string {
	switch g.n(18) {
	case 0, 1, 2, 3:
		return "O(" + t + ")\n"
	case 4:
		return "O(#" + t + ",table.maxn(" + t + "),table.getn(" + t + "),next(" + t + "))\n"
	case 5:
		return "O(pcall(cjson.encode," + t + "))\n"
	case 6:
		return "O(cmsgpack.pack(" + t + "))\n"
	case 7:
		return "for k,v in pairs(" + t + ") do O(k,v) if " + g.one("k == 1", "v == 1", "type(k) == 'string'", "true") + " then " + t +
			"[k]=nil end end\nO(" + t + ")\n"
	case 8:
		return "O(unpack(" + t + "))\n"
	case 9:
		return "for i,v in ipairs(" + t + ") do O(i,v) end\n"
	case 10:
		return "O(pcall(table.concat," + t + ",','))\n"
	case 11:
		return "table." + g.one("foreach", "foreachi") + "(" + t + ",O)\n"
	case 12:
		return "for k in pairs(" + t + ") do " + t + "[k]=nil end\n" + t + "[" + g.tableKey(3) + "]=1 " + t + "[" + g.tableKey(3) + "]=2\nO(" +
			t + ")\n"
	case 13:
		return "O(pcall(next," + t + "," + g.tableKey(3) + "))\n"
	case 14:
		return "O(pcall(table.insert," + t + "," + g.one("1", "2", "0", "10", "-1", "#"+t) + ",'i'))\nO(" + t + ")\n"
	case 15:
		return "O(pcall(table.remove," + t + "," + g.one("1", "2", "0", "10", "-1", "#"+t) + "))\nO(" + t + ")\n"
	case 16:
		return "O(cmsgpack.unpack(cmsgpack.pack(" + t + ")))\n"
	}
	return "O(" + t + "[" + g.tableKey(3) + "],rawget(" + t + "," + g.tableKey(3) + "))\n"
}
