package assist

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// open returns the document of a text and the offset of its "|", which is removed.
func open(t *testing.T, text string, parts ...part) (*Document, int) {
	t.Helper()
	at := strings.Index(text, "|")
	require.GreaterOrEqual(t, at, 0)
	return document(t, text[:at]+text[at+1:], parts...), at
}

func document(t *testing.T, text string, parts ...part) *Document {
	l, err := lint.New(lint.Config{})
	require.NoError(t, err)
	var before []string
	texts := map[string]string{"": text}
	for _, p := range parts {
		before, texts[p.Name] = append(before, p.Name), p.Text
	}
	b, err := bundle.Build("", bundle.Options{Before: before, Read: func(name string) (string, error) { return texts[name], nil }})
	require.NoError(t, err)
	return NewPart(l, b, "")
}

// part is a file in front of a script.
type part struct{ Name, Text string }

// The documentation covers what scripts can reach.
func TestLibraryIsComplete(t *testing.T) {
	const list = `local out = {}
for k, v in pairs(_G) do
  out[#out + 1] = k
  if type(v) == 'table' and k ~= '_G' then
    for n in pairs(v) do out[#out + 1] = k .. '.' .. n end
  end
end
return out`
	v, err := redmoontest.New(t).Eval(context.Background(), list, nil)
	require.NoError(t, err)
	have := v.Strings()
	var documented []string
	for name, e := range library() {
		documented = append(documented, name)
		require.NotEmpty(t, e.text, name)
	}
	slices.Sort(have)
	slices.Sort(documented)
	i := slices.Index(documented, "redis.register_function") // only libraries have it
	require.Equal(t, have, slices.Delete(documented, i, i+1))
}

func TestHover(t *testing.T) {
	for text, want := range map[string]string{
		"redis.call('G|ET', KEYS[1])":                                                  "GET key",
		"local call = redis.call\ncall('|hset', KEYS[1], 'a', 1)":                      "HSET key field value",
		"pcall(redis.call, 'SET|', KEYS[1], 1)":                                        "SET key value",
		"redis.call('OBJECT', 'ENCO|DING', KEYS[1])":                                   "OBJECT ENCODING key",
		"redis.call('SET', KEYS[1], 1, 'E|X', 10)":                                     "EX seconds",
		"redis.c|all('GET', KEYS[1])":                                                  "redis.call(command, argument, ...) -> reply",
		"local c = redis.call c|('GET', KEYS[1])":                                      "Runs a command",
		"local s = '' s:su|b(1)":                                                       "string.sub(s, from, to) -> text",
		"tonum|ber(1)":                                                                 "tonumber(value, base)",
		"cj|son.encode(1)":                                                             "converts values to JSON",
		"-- KEYS[1]: the lock\nredis.call('GET', KEYS[|1])":                            "the lock",
		"--   ARGV    1 owner  2 ms\nredis.call('GET', AR|GV[2])":                      "ms",
		"-- Adds numbers.\n-- Both must exist.\nlocal function add(a, b) end\nadd|(1)": "Adds numbers.\nBoth must exist.",
		"local limit = tonumber(ARGV[1])\nreturn lim|it":                               "local limit = tonumber(ARGV[1])",
		"x() -- redmoon:disable unused-l|ocal":                                         "**unused-local**",
		"redis.call('GET', 'GE|T')":                                                    "",
		"f('G|ET')":                                                                    "",
		"redis.call('NOSU|CH')":                                                        "",
		"|":                                                                            "",
		"local x = redis.call('GE|T', ":                                                "GET key",
	} {
		d, at := open(t, text)
		h := d.Hover(at)
		if want == "" {
			require.Nil(t, h, text)
			continue
		}
		require.NotNil(t, h, text)
		require.Contains(t, h.Markdown, want, text)
		require.True(t, h.Range.From <= at && at <= h.Range.To)
	}
}

// labels returns the items of some kinds.
func labels(c Completion, kinds ...ItemKind) string {
	var list []string
	for _, i := range c.Items {
		if slices.Contains(kinds, i.Kind) {
			list = append(list, i.Label)
		}
	}
	return strings.Join(list, " ")
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		text, want string
		kinds      []ItemKind
	}{
		{"redis.call('SET', KEYS[1], 1, '|", "NX XX GET EX PX EXAT PXAT KEEPTTL", []ItemKind{OptionItem}},
		{"redis.call('SET', KEYS[1], 1, 'ex', 10, 'n|x')", "nx xx get", []ItemKind{OptionItem}},
		{"redis.call('SET', KEYS[1], 1, |", "NX XX GET EX PX EXAT PXAT KEEPTTL", []ItemKind{OptionItem}},
		{"redis.call('OBJECT', '|'", "HELP ENCODING FREQ IDLETIME REFCOUNT", []ItemKind{CommandItem}},
		{"redis.call('GET', '|'", "", []ItemKind{OptionItem, CommandItem, LocalItem}},
		{"f('|'", "", []ItemKind{OptionItem, CommandItem, LocalItem}},
		{"local a, b = 1\ndo local c end\nlocal function f(x, y)\n  return |\nend\nlocal later", "y x b a", []ItemKind{LocalItem}},
		{"bit.|", "tobit tohex bnot band bor bxor lshift rshift arshift rol ror bswap", []ItemKind{FunctionItem}},
		{"local s = '' s:|", "byte char dump find format gfind gmatch gsub len lower match rep reverse sub upper",
			[]ItemKind{FunctionItem}},
		{"local b = bit b.to|", "tobit tohex bnot band bor bxor lshift rshift arshift rol ror bswap", []ItemKind{FunctionItem}},
		{"-- KEYS[1]: lock\n-- KEYS[2]: state\nreturn KEYS[|", "1 2", []ItemKind{ElementItem}},
		{"--   KEYS    1 lock  2 state\n--   ARGV    1 owner\nreturn K|", "KEYS[1] KEYS[2] ARGV[1]", []ItemKind{ElementItem}},
		{"x() -- redmoon:|", "disable disable-next-line disable-file", []ItemKind{RuleItem}},
		{"local |", "function", []ItemKind{KeywordItem}},
		{"function |", "", []ItemKind{KeywordItem, LocalItem, LibraryItem}},
		{"x = [[ | ]]", "", []ItemKind{KeywordItem, LocalItem, LibraryItem}},
		{"x = 1|", "", []ItemKind{KeywordItem, LocalItem, LibraryItem}},
	} {
		d, at := open(t, c.text)
		got := labels(d.Complete(at), c.kinds...)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestCompletionOfCommands(t *testing.T) {
	d, at := open(t, "local call = redis.call\nlocal v = call('H|', KEYS[1])\nlocal w = 1")
	c := d.Complete(at)
	require.Equal(t, "H", d.Text[c.Range.From:c.Range.To])
	got := " " + labels(c, CommandItem) + " "
	for _, name := range []string{"GET", "HSET", "OBJECT", "XADD", "SORT"} {
		require.Contains(t, got, " "+name+" ")
	}
	for _, name := range []string{"BLPOP", "SUBSCRIBE", "CONFIG", "MULTI", "HEXPIRE"} {
		require.NotContains(t, got, " "+name+" ")
	}
	d, at = open(t, "redis.call(h|")
	require.Contains(t, " "+labels(d.Complete(at), CommandItem)+" ", " hset ")
	for _, i := range d.Complete(at).Items {
		if i.Label == "hset" {
			require.Equal(t, "'hset'", i.Insert)
		}
	}
	old, err := lint.New(lint.Config{Redis: "6.0"})
	require.NoError(t, err)
	d = NewDocument(old, "redis.call('")
	require.NotContains(t, " "+labels(d.Complete(12), CommandItem)+" ", " GETDEL ")
	for names, want := range map[string][3]bool{ // DELIFEQ, DELEX, HTTL
		"redis-7.0": {}, "valkey-9.1": {true, false, true}, "redis-8.6": {false, true, true}, "redis-8.6 valkey-9.1": {false, false, true},
	} {
		l, err := lint.New(lint.Config{Servers: strings.Fields(names)})
		require.NoError(t, err)
		got := " " + labels(NewDocument(l, "redis.call('").Complete(12), CommandItem) + " "
		for i, name := range []string{"DELIFEQ", "DELEX", "HTTL"} {
			require.Equal(t, want[i], strings.Contains(got, " "+name+" "), "%s: %s", names, name)
		}
	}
}

func TestSignature(t *testing.T) {
	for text, want := range map[string]string{
		"redis.call('SET', |": "SET key value [NX|XX] [GET] [EX seconds|PX milliseconds|EXAT " +
			"unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL]: key",
		"redis.call('SET', KEYS[1], |)":                 "value",
		"redis.call('SET', KEYS[1], 1, 'P|')":           "[EX seconds|PX",
		"redis.call('DEL', KEYS[1], KEYS[2], |)":        "key [key ...]",
		"redis.call('GET', KEYS[1], |)":                 "GET key: -",
		"redis.call('XGROUP', 'CREATE', |":              "XGROUP CREATE key groupname id|$ [MKSTREAM] [ENTRIESREAD entries_read]: key",
		"redis.call(|":                                  "redis.call(command, argument, ...) -> reply: command",
		"string.format('x', 1, 2, |":                    "string.format(format, value, ...) -> text: ...",
		"local s s:sub(|":                               "string.sub(s, from, to) -> text: from",
		"local function add(a, b) end add(1, |":         "add(a, b): b",
		"local function add(a, ...) end add(1, 2, 3, |": "add(a, ...): ...",
		"f(|":                             "",
		"redis.call('GET', KEYS[1]) |":    "",
		"redis.call('GET', \nlocal x = |": "",
		"redis.call('GET', f(function() local x = |": "",
		"redis.call('GET', {1, |":                    "",
		"pcall(redis.call, 'GET', |":                 "GET key: key",
		"local c = 'GET' redis.call(c, |":            "GET key: key",
		"redis.call('SET', KEYS[1], f(1, 2), |":      "[NX|XX]",
	} {
		at := strings.LastIndex(text, "|")
		if strings.HasSuffix(text, "')") {
			at = strings.Index(text, "|")
		}
		d := document(t, text[:at]+text[at+1:])
		s := d.Signature(at)
		if want == "" {
			require.Nil(t, s, text)
			continue
		}
		require.NotNil(t, s, text)
		got := s.Label + ": -"
		if s.Active >= 0 {
			got = s.Label + ": " + s.Params[s.Active]
			require.Contains(t, s.Label, s.Params[s.Active])
		}
		require.Contains(t, got, want, text)
	}
}

const stock = "-- Takes one.\nlocal call = redis.call\nlocal function take(n)\n  local call = call\n" +
	"  return call('DECRBY', KEYS[1], n)\nend\nreturn take(ARGV[1] or n)\n"

// places returns the ranges of uses as line:column.
func places(d *Document, list []Use) string {
	var all []string
	for _, u := range list {
		start := strings.LastIndex(d.Text[:u.From], "\n") + 1
		s := fmt.Sprintf("%d:%d", strings.Count(d.Text[:u.From], "\n")+1, u.From-start+1)
		if u.Write {
			s += "w"
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

func TestDefinitionAndReferences(t *testing.T) {
	d := document(t, stock)
	inner := strings.Index(stock, "call('DECRBY'")
	require.Equal(t, strings.Index(stock, "call = call"), d.Definition(inner).From)
	require.Equal(t, "4:9w 5:10", places(d, d.References(inner, true)))
	require.Equal(t, "5:10", places(d, d.References(inner, false)))
	outer := strings.Index(stock, "call = redis")
	require.Equal(t, "2:7w 4:16", places(d, d.Highlights(outer)))
	n := strings.Index(stock, "n)\n  local")
	require.Equal(t, "3:21w 5:34", places(d, d.References(n+1, true)), "the end of a name belongs to it")
	require.Equal(t, "7:24", places(d, d.References(strings.Index(stock, "n)\n")+len(stock)*0+strings.LastIndex(stock,
		"n)")-strings.Index(stock, "n)\n"), true)), "a global")
	require.Nil(t, d.Definition(0))
}

func TestRename(t *testing.T) {
	rename := func(text, name string) (string, error) {
		d, at := open(t, text)
		list, err := d.Rename(at, name)
		if err != nil {
			return "", err
		}
		out := d.Text
		for _, r := range slices.Backward(list) {
			out = out[:r.From] + name + out[r.To:]
		}
		return out, nil
	}
	for _, c := range []struct{ text, name, want string }{
		{"local a| = 1 return a + a", "b", "local b = 1 return b + b"},
		{"local a = 1 do local a = 2 f(a|) end return a", "b", "local a = 1 do local b = 2 f(b) end return a"},
		{"local function f(x) return x| end", "y", "local function f(y) return y end"},
		{"for i = 1, 2 do g(i|) end return i", "k", "for k = 1, 2 do g(k) end return i"},
		{"local t = {a = 1} local a| = t.a", "t2", "local t = {a = 1} local t2 = t.a"},
		{"repeat local x = f() until x|", "y", "repeat local y = f() until y"},
		{"local a| = 1", "a", "local a = 1"},
	} {
		got, err := rename(c.text, c.name)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got)
	}
	for text, want := range map[string]string{
		"local a| = 1 local b = 2 return a + b":              "line 1: b would mean another variable",
		"local b = 1\nlocal function f(a|)\n  return b\nend": "line 3: b would mean another variable",
		"local a| = 1\ndo\n  local b = 2\n  return a\nend":   "line 4: b would mean another variable",
		"local a| = 1\nreturn b":                             "line 2: b would mean another variable",
		"return a|":                                          ErrNoLocal.Error(),
		"local t = {a| = 1}":                                 ErrNoLocal.Error(),
		"local a| = = 1":                                     ErrBroken.Error(),
		"function t:m() return self| end":                    ErrImplicit.Error(),
	} {
		_, err := rename(text, "b")
		require.EqualError(t, err, want, text)
	}
	for _, name := range []string{"", "end", "1a", "a b", "ä", "a.b"} {
		_, err := rename("local a| = 1", name)
		require.ErrorContains(t, err, "is not a name")
	}
	_, err := rename("local a| = 1 redis.call('GET', KEYS[1])", "redis")
	require.ErrorContains(t, err, "redis would mean another variable")
}

func TestPartsInFront(t *testing.T) {
	common := part{"common.lua", "-- KEYS[1]: lock\nlocal call = redis.call\n-- Adds.\nlocal function add(a, b) end\n"}
	d, at := open(t, "return ad|d(call('GET', KEYS[1]))", common)
	require.Equal(t, "common.lua", d.Definition(at).File)
	require.Equal(t, "add", common.Text[d.Definition(at).From:d.Definition(at).To])
	require.Contains(t, d.Hover(at).Markdown, "Adds.")
	require.Contains(t, d.Hover(strings.Index(d.Text, "GET")).Markdown, "GET key")
	require.Contains(t, d.Hover(strings.Index(d.Text, "KEYS")).Markdown, "lock")
	places, err := d.Rename(at, "sum")
	require.NoError(t, err)
	require.Len(t, places, 2)
	require.Equal(t, "common.lua", places[0].File)
	require.Equal(t, "add", common.Text[places[0].From:places[0].To])
	require.Equal(t, Location{"", Range{From: at - 2, To: at + 1}}, places[1])
	_, err = d.Rename(at, "call")
	require.EqualError(t, err, "line 1: call would mean another variable")
	require.Len(t, d.References(at, true), 2)
	require.Len(t, d.Highlights(at), 1)
	require.Empty(t, d.Symbols())
	require.Contains(t, labels(d.Complete(0), LocalItem, FunctionItem), "call")

	d, at = open(t, "local call| = redis.call\ndo local x = call end\n")
	d.IsPart = true
	_, err = d.Renameable(at)
	require.Equal(t, ErrShared, err)
	_, err = d.Renameable(strings.Index(d.Text, "x ="))
	require.NoError(t, err)
}

func TestSymbols(t *testing.T) {
	d := document(t, `#!lua name=l
local max, _ = 10, 1
local function outer(a, ...)
  local inner = function() end
  local x = 1
end
redis.register_function('one', function(keys, args) end)
redis.register_function{function_name = 'two', callback = outer}
`)
	var show func(list []Symbol) string
	show = func(list []Symbol) string {
		s := ""
		for _, x := range list {
			s += fmt.Sprintf("(%s %s %d%s)", x.Name, x.Detail, x.Kind, show(x.Children))
			require.Contains(t, d.Text[x.Selection.From:x.Selection.To], x.Name)
		}
		return s
	}
	require.Equal(t, "(max 10 1)(outer (a, ...) 0(inner () 0))(one registered 2)(two registered 2)", show(d.Symbols()))
}

func TestFolds(t *testing.T) {
	text := "-- a\n-- b\nlocal function f(\n  x)\n  if x then\n    y()\n  else\n    z()\n  end\n" +
		"  local t = {\n    1,\n  }\nend\n--[[\n]]\nlocal s = [[\n]]\nif a then b(\n"
	d := document(t, text)
	folds := d.Folds(func(at int) int { return strings.Count(text[:at], "\n") })
	var got []string
	for _, f := range folds {
		got = append(got, fmt.Sprintf("%d-%d", f.From, f.To))
	}
	require.Equal(t, "0-1 4-5 6-7 9-10 2-11 13-14 15-16", strings.Join(got, " "))
}

func TestDisablingRules(t *testing.T) {
	apply := func(text string, e Edit) string { return text[:e.Range.From] + e.Text + text[e.Range.To:] }
	for text, want := range map[string]string{
		"a()\n  b(|)":                          "a()\n  -- redmoon:disable-next-line r\n  b()",
		"|a()\r\nb()":                          "-- redmoon:disable-next-line r\r\na()\r\nb()",
		"-- redmoon:disable-next-line x\nb(|)": "-- redmoon:disable-next-line x, r\nb()",
		"-- redmoon:disable-next-line x -- reason\nb(|)": "-- redmoon:disable-next-line x, r -- reason\nb()",
		"-- redmoon:disable-next-line x\n\nb(|)":         "-- redmoon:disable-next-line x\n\n-- redmoon:disable-next-line r\nb()",
		"a = [[\n|x]]":                                   "",
		"#!lua name=l|\n":                                "",
	} {
		d, at := open(t, text)
		e, ok := d.DisableLine(at, "r")
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, apply(d.Text, e))
		}
	}
	d := document(t, "#!lua name=l\nx()")
	require.Equal(t, "#!lua name=l\n-- redmoon:disable-file r\nx()", apply(d.Text, d.DisableFile("r")))
}

// Every method answers at every place of damaged scripts.
func TestDamagedTexts(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(difftest.Root(), "scripts/*/*.lua"))
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 7))
	for range 150 {
		b, err := os.ReadFile(paths[rng.IntN(len(paths))])
		require.NoError(t, err)
		text := string(b)
		for range 1 + rng.IntN(4) {
			from := rng.IntN(len(text))
			to := min(len(text), from+rng.IntN(30))
			text = text[:from] + []string{"", "(", "'", "end", "]]", "--", "= ", "\n", "ä", "redis.call("}[rng.IntN(10)] + text[to:]
		}
		everything(document(t, text), rng.IntN(len(text)+1))
	}
}

// everything calls every method.
func everything(d *Document, at int) {
	d.Hover(at)
	d.Complete(at)
	d.Signature(at)
	d.Definition(at)
	d.References(at, true)
	d.Highlights(at)
	_, _ = d.Renameable(at)
	_, _ = d.Rename(at, "other")
	d.Symbols()
	d.Folds(func(at int) int { return strings.Count(d.Text[:at], "\n") })
	d.DisableLine(at, "r")
	d.DisableFile("r")
}

func FuzzEveryMethod(f *testing.F) {
	f.Add("local call = redis.call\ncall('SET', KEYS[1], 1, 'E", uint(40))
	f.Add("-- KEYS[1]: x\nreturn KEYS[", uint(30))
	f.Fuzz(func(t *testing.T, text string, at uint) {
		everything(document(t, text), int(at%uint(len(text)+1)))
		everything(document(t, text, part{"p", "local a = "}), int(at%uint(len(text)+1)))
	})
}
