package luabridge

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deepTexts nest as deep as possible, in each possible way: by Lua's 200 levels, by chains, which
// Lua does not limit, and by both.
func deepTexts() map[string]string {
	rep := strings.Repeat
	texts := map[string]string{}
	for name, chain := range map[string]string{"operators": "+a", "right": "^a", "concat": "..a", "and": " and a", "or": " or a",
		"compare": "<a", "fields": ".a",
		"index": "[a]", "calls": "()", "methods": ":a()", "tables": "{}", "strings": "'x'"} {
		n := 5000
		if chain == "^a" || chain == "..a" {
			n = 190
		}
		texts["chain of "+name] = "return function() return a" + rep(chain, n) + " end"
		texts["chain below the limit of "+name] = "return function() return a" + rep(chain, min(n, 990)) + " end"
		texts["parentheses with "+name] = "return function() return " + rep("(", 190) + "a" + rep(rep(chain, min(n, 150))+")", 190) + " end"
		texts["arguments with "+name] = "return function() return " + rep("a(", 90) + "a" + rep(rep(chain, min(n, 100))+")", 90) + " end"
		texts["functions with "+name] = "return " + rep("function() return a"+rep(chain, min(n, 150))+", ", 60) + "1" + rep(" end", 60)
	}
	for name, nest := range map[string][2]string{"parentheses": {"(", ")"}, "minus": {"- ", ""}, "not": {"not ", ""}, "length": {"#", ""},
		"tables": {"{", "}"},
		"keyed":  {"{[", "]=1}"}, "calls": {"a(", ")"}, "index": {"a[", "]"}, "functions": {"function() return ", " end"},
		"concat": {"a..(", ")"},
		"power":  {"a^(", ")"}} {
		for _, n := range []int{97, 190} {
			texts[fmt.Sprint("nested ", name, n)] = "return function() return " + rep(nest[0], n) + "a" + rep(nest[1], n) + " end"
		}
	}
	for name, nest := range map[string][2]string{"do": {"do ", " end"}, "if": {"if a then ", " end"}, "else": {"if a then else ", " end"},
		"while":  {"while a do ", " end"},
		"repeat": {"repeat ", " until a"}, "for": {"for i=1,1 do ", " end"}, "in": {"for i in a do ", " end"}, "function": {"local function a() ",
			" end"}} {
		n := 190
		texts["blocks of "+name] = rep(nest[0], n) + rep(nest[1], n)
	}
	texts["branches"] = "return function() if a then " + rep("elseif a then f() ", 5000) + " end end"
	texts["branches below the limit"] = "return function() if a then " + rep("elseif a then f() ", 990) + " end end"
	texts["branches in branches"] = "return function() " + rep("if a then "+rep("elseif a then f() ", 50)+" else ", 190) + rep(" end ", 190) +
		" end"
	return texts
}

// TestDeepTexts compiles them in a process whose goroutines get little stack: an overflow would end
// it.
func TestDeepTexts(t *testing.T) {
	if os.Getenv("REDMOON_DEEP") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDeepTexts$", "-test.v")
		cmd.Env = append(os.Environ(), "REDMOON_DEEP=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%.3000s", out)
		return
	}
	debug.SetMaxStack(8 << 20)
	vm := New(Options{})
	defer vm.Close()
	functions := New(Options{Functions: true})
	defer functions.Close()
	for name, text := range deepTexts() {
		for _, text := range []string{text, text + strings.Repeat(" ", LongText)} {
			s, err := vm.Compile(text)
			if err == nil {
				vm.Run(newHost(), s, nil, nil)
			} else {
				assert.Regexp(t, "too many syntax levels|too complex|200 local variables", err.Error(), name)
			}
			host := compiled(t, vm,
				"local f, e = loadstring(ARGV[1]) if not f then return e end local n = 0 load(function() n = n + 1 return n == 1 and ARGV[1] or nil "+
					"end) return 1")
			vm.Run(newHost(), host, nil, []string{text})
			lib, err := ParseLibrary("#!lua name=l\n" + strings.Replace(text, "return ", "local x = ", 1))
			require.NoError(t, err)
			_ = functions.LoadLibrary(lib)
		}
	}
}
