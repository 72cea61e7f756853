package difftest

import "strconv"

// write makes a command that may make keys ready, or changes them.
func (g *waitGenerator) write() []string {
	switch r := g.rng.IntN(100); {
	case r < 30:
		return g.listWrite()
	case r < 48:
		return g.zsetWrite()
	case r < 72:
		return g.streamWrite()
	}
	return g.keyWrite()
}

func (g *waitGenerator) value() string { return strconv.Itoa(g.rng.IntN(1000)) }

func (g *waitGenerator) values() (out []string) {
	for range pick(g.rng, []int{1, 1, 2, 2, 3, 5}) {
		out = append(out, g.value())
	}
	return out
}

func (g *waitGenerator) listWrite() []string {
	k := g.key(ofLists)
	switch g.rng.IntN(14) {
	case 0, 1, 2:
		return words("LPUSH", k, g.values())
	case 3, 4, 5:
		return words("RPUSH", k, g.values())
	case 6:
		return words(pick(g.rng, []string{"LPUSHX", "RPUSHX"}), k, g.values())
	case 7:
		return words("LINSERT", k, pick(g.rng, []string{"BEFORE", "AFTER"}), g.value(), g.value())
	case 8:
		return words("LMOVE", k, g.key(ofLists), g.end(), g.end())
	case 9:
		return words("RPOPLPUSH", k, g.key(ofLists))
	case 10:
		return words(pick(g.rng, []string{"LPOP", "RPOP"}), k, pick(g.rng, [][]string{nil, {"2"}}))
	case 11:
		return words("LTRIM", k, g.rng.IntN(3), "-1")
	case 12:
		return words("LMPOP", "2", k, g.key(ofLists), g.end(), "COUNT", "2")
	}
	return words("LREM", k, "0", g.value())
}

func (g *waitGenerator) member() string { return pick(g.rng, []string{"p", "q", "r", "s"}) }

func (g *waitGenerator) zsetWrite() []string {
	k := g.key(ofZSets)
	switch g.rng.IntN(12) {
	case 0, 1, 2, 3:
		var pairs []string
		for range 1 + g.rng.IntN(3) {
			pairs = append(pairs, strconv.Itoa(g.rng.IntN(5)), g.member())
		}
		return words("ZADD", k, pick(g.rng, [][]string{nil, nil, nil, {"NX"}, {"XX"}, {"CH"}}), pairs)
	case 4, 5:
		return words("ZINCRBY", k, g.rng.IntN(3), g.member())
	case 6:
		return words("ZUNIONSTORE", k, "2", g.key(ofZSets), g.key(ofZSets))
	case 7:
		return words(pick(g.rng, []string{"ZINTERSTORE", "ZDIFFSTORE"}), k, "2", g.key(ofZSets), g.key(ofZSets))
	case 8:
		return words("ZRANGESTORE", k, g.key(ofZSets), "0", "1")
	case 9:
		return words("ZREM", k, g.member(), g.member())
	case 10:
		return words("GEOADD", k, "13.361389", "38.115556", g.member())
	}
	return words(pick(g.rng, []string{"ZPOPMIN", "ZPOPMAX"}), k)
}

func (g *waitGenerator) streamWrite() []string {
	k := g.key(ofStreams)
	switch g.rng.IntN(20) {
	case 0, 1, 2, 3, 4, 5, 6:
		return words("XADD", k, pick(g.rng, [][]string{nil, nil, nil, {"NOMKSTREAM"}, {"MAXLEN", "2"}, {"MAXLEN", "0"}}), g.entryID(), "f",
			g.value())
	case 7, 8, 9, 10:
		return words("XGROUP", "CREATE", k, g.group(), pick(g.rng, []string{"$", "0"}), pick(g.rng, [][]string{nil, {"MKSTREAM"}, {"MKSTREAM"}}))
	case 11, 12:
		return words("XGROUP", "DESTROY", k, g.group())
	case 13:
		return words("XGROUP", "SETID", k, g.group(), pick(g.rng, []string{"$", "0", "3-0"}))
	case 14:
		return words("XGROUP", pick(g.rng, []string{"CREATECONSUMER", "DELCONSUMER"}), k, g.group(), g.consumer())
	case 15:
		return words("XTRIM", k, "MAXLEN", g.rng.IntN(3))
	case 16:
		return words("XDEL", k, strconv.Itoa(g.id)+"-0", strconv.Itoa(g.id)+"-1")
	case 17:
		return words("XSETID", k, strconv.Itoa(g.id+g.rng.IntN(3))+"-0")
	case 18:
		return words("XREADGROUP", "GROUP", g.group(), g.consumer(), g.count(), "STREAMS", k, pick(g.rng, []string{">", "0"}))
	}
	return words("XACK", k, g.group(), strconv.Itoa(g.id)+"-0")
}

func (g *waitGenerator) keyWrite() []string {
	k := g.any()
	switch g.rng.IntN(26) {
	case 0, 1, 2:
		return words(pick(g.rng, []string{"DEL", "UNLINK"}), k, g.any())
	case 3, 4:
		return words("SET", k, "x")
	case 5:
		return words("MSET", k, "x", g.any(), "y")
	case 6, 7, 8:
		return words("RENAME", k, g.any())
	case 9:
		return words("RENAMENX", k, g.any())
	case 10, 11:
		return words("COPY", k, g.any(), pick(g.rng, [][]string{nil, {"REPLACE"}, {"DB", "1"}, {"DB", "0", "REPLACE"}}))
	case 12, 13:
		return words("MOVE", k, g.rng.IntN(2))
	case 14, 15:
		return words("RESTORE", k, pick(g.rng, []string{"0", "0", "100000000"}), pick(g.rng, g.dumps), pick(g.rng, [][]string{nil, {"REPLACE"}}))
	case 16:
		return words("RESTORE", k, "1", pick(g.rng, g.dumps), "ABSTTL", "REPLACE")
	case 17, 18:
		return words("SORT", k, "ALPHA", "STORE", g.key(ofLists))
	case 19, 20:
		return words("EXPIRE", k, pick(g.rng, []string{"-1", "0", "100000"}))
	case 21:
		return words("PEXPIREAT", k, "1")
	case 22:
		return words("SADD", k, g.value())
	case 23:
		return words("SUNIONSTORE", k, g.any(), g.any())
	case 24:
		return words("BITOP", "OR", k, g.any())
	}
	return words("GEOSEARCHSTORE", k, g.key(ofZSets), "FROMLONLAT", "13", "38", "BYRADIUS", "1000", "km", "STOREDIST")
}
