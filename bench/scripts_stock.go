package main

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/scripts/stock"
)

// stockKeys are the keys of the sale "b", in the order of the scripts' KEYS.
var stockKeys = []string{"stock:{b}:items", "stock:{b}:orders", "stock:{b}:due", "stock:{b}:users", "stock:{b}:units"}

// stockReserve reserves orders of one item each.
func stockReserve(name, strategy string) workload {
	return workload{
		name: name, script: stock.ReserveScript(), nkeys: len(stockKeys), real: true, op: stockOrder,
		setup: func(n int) [][]string {
			if strategy == "units" {
				return append(stockUnits(n), stockItem(strategy, n))
			}
			return [][]string{stockItem(strategy, n)}
		},
	}
}

// stockSoldOut tries to reserve items that are sold out.
func stockSoldOut() workload {
	w := stockReserve("stock sold out", "counter")
	w.setup = func(int) [][]string { return [][]string{stockItem("counter", 0)} }
	return w
}

func stockOrder(dst []string, i int) []string {
	return append(append(dst, stockKeys...), "86400000000", "900000000", "order:"+strconv.Itoa(i), user(i), "phone", "1")
}

// stockItem returns the command that stores the sale as Define, Supply and Open do.
func stockItem(strategy string, n int) []string {
	const script = `
		local n = tonumber(ARGV[2])
		local item = ARGV[1] == 'units' and cmsgpack.pack(n, 2, 0, n, 0) or cmsgpack.pack(n, 2, 0, n)
		return redis.call('HSET', KEYS[1], '', '9000000000000000', 'phone', item)`
	return []string{"EVAL", script, "1", stockKeys[0], strategy, strconv.Itoa(n)}
}

// stockUnits returns the commands that store n units as SupplyUnits does.
func stockUnits(n int) [][]string {
	var cmds [][]string
	for first := 1; first <= n; first += 1000 {
		units, serials := []string{"HSET", stockKeys[4]}, []string{"HSET", stockKeys[1]}
		for i := first; i < min(first+1000, n+1); i++ {
			serial := "serial:" + strconv.Itoa(i)
			units = append(units, strconv.Itoa(i)+":phone", serial)
			serials = append(serials, "phone\xff"+serial, "")
		}
		cmds = append(cmds, units, serials)
	}
	return cmds
}
