package luagen

import (
	"fmt"
	"strings"
)

// effects makes a statement whose parts record when they are evaluated.
func (g *generator) effects() {
	t := g.fresh()
	g.put("local " + t + " = setmetatable({},{__index=function(_,k) O('get',k) return " + g.one("k", "nil", "{}", "1") +
		" end,__newindex=function(_,k,v) O('set',k,v) end})\n")
	g.add(t, tNil)
	g.put("local function _f(...) O('f',...) return ... end\n")
	f := func() string { return "_f(" + g.list(g.n(3), 1) + ")" }
	key := func() string { return t + g.one("[_f("+g.small()+")]", ".x", "["+g.small()+"]", "._y", "[_f('k')]") }
	n := 1 + g.n(4)
	var lhs, rhs []string
	for range n {
		lhs = append(lhs, key())
	}
	for range 1 + g.n(4) {
		rhs = append(rhs, g.one(f(), key(), g.scalar(1), "#"+"{"+f()+"}"))
	}
	stmt := strings.Join(lhs, ",") + g.sp() + "=" + g.sp() + strings.Join(rhs, ",")
	switch g.n(5) {
	case 0:
		stmt = "local _a,_b,_c = " + strings.Join(rhs, ",") + " O(_a,_b,_c)"
	case 1:
		stmt = "O({" + strings.Join(rhs, ",") + g.one(",x="+f(), ",[_f('z')]="+f(), "") + "})"
	case 2:
		stmt = "O(" + f() + g.sp() + g.one("and", "or", "==", "~=") + g.sp() + key() + g.one(" and ", " or ") + f() + ")"
	case 3:
		stmt = "_f(" + strings.Join(rhs, ",") + ")"
	}
	g.put("O(pcall(function() " + stmt + " end))\n")
}

// levels makes functions that call each other, the last of which raises an error.
func (g *generator) levels() {
	a, b, c := "_p", "_q", "_r"
	raise := g.one("error('deep')", "error('deep',"+g.one("0", "1", "2", "3", "4", "5")+")", "error({err='deep'},2)", "local x x.y = 1",
		"return nil + x", "return x.y.z", "x()", "string.rep()", "('x'):rep()", "undefined()",
		"redis.call('GET')", "error(type(x) == 'table' and x.err or x)", "assert(x == 1,'not one')", "table.concat({{}})", "setmetatable(1)",
		"coroutine.yield()")
	g.put("local function " + a + "(x)\n" + g.one("", "O(x) ", "\n") + raise + "\nend\n")
	g.put("local function " + b + "(x)" + g.sp() + g.one("return "+a+"(x)", "local r = "+a+"(x) return r", "return ("+a+"(x))", a+"(x)",
		"return pcall("+a+",x)", "local t = {"+a+"(x)}",
		"return select(2,"+a+"(x))", "O(pcall("+a+",x)) "+a+"(x)", "return coroutine.wrap("+a+")(x)", "for _ in "+a+",x do end",
		"table.sort({3,1,2},"+a+")", "return (string.gsub('ab','.',"+a+"))",
		"return setmetatable({},{__index="+a+"}).x", "return setmetatable({},{__add="+a+"}) + 1", "return setmetatable({},{__concat="+a+"}) .. 1",
		"setmetatable({},{__newindex="+a+"}).x = 1",
		"return setmetatable({},{__call="+a+"})(1)", "return -setmetatable({},{__unm="+a+"})", "return setmetatable({},{__lt="+a+
			"}) < setmetatable({},{})", "return xpcall("+a+",function(e) O(e) return e end)",
		"return xpcall(function() return "+a+"(1) end,error)", "return tostring(setmetatable({},{__tostring="+a+"}))", "table.foreach({1},"+a+")",
		"local co = coroutine.create("+a+") return coroutine.resume(co,x)") + g.sp() + "end\n")
	g.put("local function " + c + "(...)\n" + g.one("return "+b+"(...)", b+"(...)", "return "+b+"(...), 1", "local ok,e = pcall("+b+
		",...) O(ok,e) error(e,"+g.one("0", "1", "2")+")", "O("+b+"(...))") + "\nend\n")
	arg := g.one("", "1", "nil", "{}", "'s'", "{err='own'}")
	switch g.n(5) {
	case 0:
		g.put("O(xpcall(function() return " + c + "(" + arg + ") end,function(e) O(type(e)) return e end))\n")
	case 1:
		if !strings.Contains(arg, "{}") { // an error that is a table without err ends the oracle
			g.put("O(coroutine.resume(coroutine.create(" + c + ")" + strings.TrimSuffix(","+arg, ",") + "))\n")
			return
		}
		fallthrough
	default:
		g.put("O(pcall(" + c + strings.TrimSuffix(","+arg, ",") + "))\n")
	}
}

// packers calls the packers with settings, formats and damaged input.
func (g *generator) packers() {
	switch g.n(7) {
	case 0:
		g.put("local _c = cjson.new() O(pcall(_c." + g.one("encode_sparse_array,true,1,2", "encode_sparse_array,false,2,3", "encode_max_depth,2",
			"decode_max_depth,2", "encode_number_precision,3",
			"encode_number_precision,14", "encode_invalid_numbers,true", "encode_invalid_numbers,'null'", "decode_invalid_numbers,false",
			"encode_keep_buffer,false", "encode_max_depth,0", "encode_number_precision,99") + "))\n")
		g.put("O(pcall(_c.encode," + g.helper("P") + "(" + g.any(3) + ")))\nO(pcall(_c.decode,'" + documents[g.n(len(documents))] + "'))\n")
	case 1:
		g.put("O(pcall(cjson.decode," + g.one("'"+documents[g.n(len(documents))]+"'", g.str(2), "cjson.encode("+g.helper("P")+"("+g.any(2)+
			"))..'x'", "string.sub(cjson.encode("+g.helper("P")+"("+g.any(2)+")),1,-2)") + "))\n")
	case 2:
		g.put("O(pcall(cmsgpack." + g.one("unpack", "unpack_one", "unpack_limit") + ",cmsgpack.pack(" + g.helper("P") + "(" + g.any(2) + ")," +
			g.scalar(1) + ")" + g.one("", ",1", ",0", ",2", ",1,0", ",2,1", ",-1") + "))\n")
	case 3:
		g.put("O(pcall(cmsgpack.unpack,string.sub(cmsgpack.pack(" + g.helper("P") + "(" + g.any(2) + "))," + g.small() + "," + g.small() +
			")))\n")
	case 4, 5:
		var f []string
		var args []string
		for range 1 + g.n(4) {
			f = append(f, g.one("b", "B", "h", "H", "i", "I", "i3", "I7", "l", "L", "T", "f", "d", "s", "c3", "c0", "x", ">", "<", "!", "!4", " ",
				"i16", "i17", "z", "!3"))
			args = append(args, g.one(g.num(1), g.str(1), g.small()))
		}
		format := "'" + strings.Join(f, "") + "'"
		g.put("O(pcall(struct.pack," + format + "," + strings.Join(args, ",") + "))\nO(pcall(struct.size," + format + "))\n")
		g.put("O(pcall(struct.unpack," + format + "," + g.one("'abcdefghijklmnop'", "'\\1\\2\\3\\0\\255\\254xyz\\0 12345678'", g.str(1)) +
			g.one("", ",2", ",0", ",5") + "))\n")
	default:
		g.put(fmt.Sprintf("O(pcall(bit.tohex,%s,%s))\nO(pcall(bit.%s,%s,%s,%s))\n", g.num(1), g.one("1", "4", "8", "-4", "0", "nil", "100"),
			g.one("band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror"),
			g.num(1), g.one(g.num(1), "'0xff'", "'x'"), g.num(1)))
	}
}

// reply returns a table of a shape that the conversion to a reply distinguishes.
func (g *generator) reply(d int) string {
	if d <= 0 {
		return g.one("1", "'s'", "3.99", "-3.99", "true", "false", "nil", "{}", "1e100", "0/0", "{1,nil,3}", "{ok='fine'}", "{err='bad'}",
			"{err='ERR bad'}", "{double=1.5}", "{map={a=1}}", "{set={a=true}}",
			"{ok=1}", "{err=2}", "{ok=true}", "{big_number='12345678901234567890'}", "{verbatim_string={format='txt',string='v'}}",
			"redis.status_reply('OK')", "redis.error_reply('x')", "{ok='a\\r\\nb'}", "tostring", "{double='x'}", "{map=1}")
	}
	var es []string
	for range g.n(4) {
		es = append(es, g.reply(d-1))
	}
	return "{" + strings.Join(es, ",") + g.one("", "", ",x=1") + "}"
}

// rarely makes a statement that few programs contain.
func (g *generator) rarely() {
	g.put("O(pcall(function() " + g.enclosed(func() string {
		return g.one(
			"local n = 0 return load(function() n = n + 1 return ({'return ','1 + ','"+g.one("2", "", "x", "nil", "'")+"'})[n] end"+
				g.one("", ",'=piece'", ",'@f.lua'")+")",
			"local n = 0 local f = load(function() n = n + 1 return ({'local a = ...','\\n return a',' + 1'})[n] end) return f("+g.scalar(1)+")",
			"return load("+g.one("function() return 1,2 end", "function() return {} end", "function() error('r') end", "'text'", "nil")+")",
			"return coroutine.running()",
			"local co co = coroutine.create(function() O(coroutine.status(co)) return coroutine.resume(co) end) return coroutine.resume(co)",
			"local a,b a = coroutine.create(function() return coroutine.resume(b) end) b = coroutine.create(function() return "+
				"coroutine.status(a),coroutine.resume(a) end) return coroutine.resume(a)",
			"local w = coroutine.wrap(function() error("+g.one("'in'", "{err='t'}", "5", "nil", "'in',0", "'in',2")+") end) w()",
			"local w = coroutine.wrap(function() return 1 end) w() w()",
			"local w w = coroutine.wrap(function() return w() end) return w()", "return coroutine.wrap(pcall)(error,'x')",
			"return coroutine.resume(coroutine.create(function(...) return select('#',...),... end),nil,nil)",
			"local function f() return 1 + f() end return f()",
			"local function f(n) if n > 0 then return f(n - 1) end return 'deep' end return f(3000)",
			"local t = {} t.__index = t setmetatable(t,t) return t.x",
			"local t = setmetatable({},{}) getmetatable(t).__index = t return t.x", "local function f() return pcall(f) end return f()",
			"local s = 'x' for i = 1,8 do s = s .. s end return #s,s:rep(3):len()",
			"return #table.concat({},','),table.concat({1,2,3},',',2),table.concat({1,2,3},',',2,2),table.concat({1,2,3},',',3,2)",
			"return string.gfind('abc','.')()", "table.setn({},1)",
			"return math.mod(7,3),math.modf("+g.num(1)+"),math.frexp("+g.num(1)+")", "return string.byte('hello',1,-1)",
			"return ('x'):rep(3,','),('%d'):format("+g.num(1)+")",
			"return string.find('a.b','.',1,true),string.find('abc','b',-1),string.find('','')",
			"return tostring(1e15),tostring(1e14),tostring(123456.789e3),tostring(2^63),tostring(-2^63),1e15 .. '',0.1 .. ''", "return tonumber("+
				g.one("' 0x10 '", "'1e'", "'1 2'", "'0x'", "''", "' '", "'inf'", "'nan'", "'1e+5'", "'.5.'", "'5.'", "'-0x1'", "'1_0'", "'١'")+")",
			"local a <const> = 1", "local t = {n=0} for i = 1,"+g.small()+" do t[i],t.n = t.n,i end return t",
			"local t = {1,2,3,4,5} for i,v in ipairs(t) do if v == 3 then t[i + 1] = nil end O(i,v) end",
			"local a,b,c = (function() return 1,2,3 end)() local d,e = ((function() return 4,5 end)()) return a,b,c,d,e", "return (...)",
			"return select("+g.small()+","+g.list(2, 1)+")", "return unpack({"+g.list(2, 1)+"},"+g.small()+","+g.small()+")",
			"local a = {} a.b,a.c = a,1 a = a.b return a.c", "local i = 1 local a = {} i,a[i] = i + 1,20 return i,a",
			"local x = 1 do local x = x + 1 O(x) do local x = x * 3 O(x) end end return x", "return not not "+g.scalar(1)+",not "+g.scalar(1)+
				" == false",
			"return 2^3^2,-2^2,not 1 == 2,1 .. 2 .. 3,2 * 3 % 4,- - 2,1 < 2 == true", "return \"a\\\nb\",'\\x','\\065',[[\n\nx]],[==[]]]==]",
			"return bit.tohex("+g.num(1)+","+g.small()+")", "return redis.sha1hex("+g.scalar(1)+")",
			"return cjson.decode('{\"a\":{\"b\":[1,{\"c\":null}]}}').a.b[2].c == cjson.null", "return cjson.encode({[1]=1,[2]=2,["+
				g.one("3", "4", "'x'", "20", "1.5", "-1", "0")+"]=3})", "return cjson.encode("+g.one("nil", "cjson.null", "0/0", "1/0",
				"'\\0\\127\\128/'", "{{}}", "{[{}]=1}", "function() end", "{f=print}", "1e20", "0.1", "-0", "100000000000000", "1e14",
				"123456789.123456789")+")")
	}) + "\nend))\n")
}
