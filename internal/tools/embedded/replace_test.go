package embedded_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

// changes are texts that a formatter, a person or nobody would make of a script.
func changes(text string) map[string]string {
	lines := strings.SplitAfter(text, "\n")
	var spaced, wide []string
	for _, l := range lines {
		spaced = append(spaced, strings.Replace(l, "(", "( ", 1))
		wide = append(wide, strings.Replace(l, "return ", "return  ", 1))
	}
	return map[string]string{
		"blanks":      strings.Join(spaced, ""),
		"more blanks": strings.Join(wide, ""),
		"a line":      strings.Replace(text, "\n", "\n-- \"it's\" `a` \\ #x %d {y} \t$z\n", 1),
		"two lines":   strings.Replace(text, "return", "local one = 1\nlocal two = 'a\\nb'\nreturn", 1),
		"quotes":      strings.ReplaceAll(text, "'", "\""),
		"nothing":     text,
	}
}

// TestReplace puts changed scripts back into the files of all languages. What Replace accepts is
// read again by Find and is the new text; the other scripts and the rest of the file stay.
func TestReplace(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	tried, refused := 0, 0
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, f := range archive.Files {
			file := string(f.Data)
			list := find(t, f.Name, file)
			for i := range list {
				s := &list[i]
				for name, text := range changes(s.Text) {
					tried++
					got, err := s.Replace(text)
					if err != nil {
						refused++
						t.Logf("%s, %s: %v", s.Name, name, err)
						continue
					}
					again := find(t, f.Name, got)
					require.Len(t, again, len(list))
					require.Equal(t, text, again[i].Text, "%s, %s", s.Name, name)
					require.Equal(t, len(s.Holes), len(again[i].Holes))
					require.True(t, strings.HasPrefix(got, file[:s.From]), "%s, %s", s.Name, name)
					require.True(t, strings.HasSuffix(got, file[s.To:]), "%s, %s", s.Name, name)
				}
			}
		}
	}
	t.Logf("%d of %d changes were refused", refused, tried)
	require.Less(t, refused*10, tried, "most changes are possible")
}

func TestReplaceWritesWhatAPersonWould(t *testing.T) {
	for name, c := range map[string]struct{ file, text, old, now, want string }{
		"a margin": {"a.rb", "X = <<~LUA\n    local a=1\n\n    return a\n  LUA\n", "local a=1\n\nreturn a\n",
			"local a = 1\n\nif a then\n  return a\nend\n",
			"X = <<~LUA\n    local a = 1\n\n    if a then\n      return a\n    end\n  LUA\n"},
		"a hole": {"a.rb", "X = <<~LUA\n  local a=#{n}\n  return a\nLUA\n", "local a=__hole1\nreturn a\n", "local a = __hole1\nreturn a\n",
			"X = <<~LUA\n  local a = #{n}\n  return a\nLUA\n"},
		"escapes that stay": {"a.js", `redis.eval("local a='\x41'\nreturn  a", 0)`, "local a='A'\nreturn  a", "local a='A'\nreturn a",
			`redis.eval("local a='\x41'\nreturn a", 0)`},
		"escapes that are needed": {"a.js", `redis.eval("return a", 0)`, "return a", "return \"a\\n\"",
			`redis.eval("return \"a\\n\"", 0)`},
		"one literal for each line": {"A.java", "x.eval(\"local a=1\\n\" +\n  \"return  a\");", "local a=1\nreturn  a", "local a = 1\nreturn a",
			"x.eval(\"local a = 1\\n\" +\n  \"return a\");"},
		"a list": {"a.js", "redis.eval(['local a=1', 'return  a'].join('\\n'))", "local a=1\nreturn  a", "local a = 1\nreturn a",
			"redis.eval(['local a = 1', 'return a'].join('\\n'))"},
		"a longer list": {"a.js", "redis.eval(['local a=1', 'return  a'].join('\\n'))", "local a=1\nreturn  a", "local a = 1\nlocal b\nreturn a",
			"redis.eval(['local a = 1', 'local b\\nreturn a'].join('\\n'))"},
		"percent signs": {"a.go", "var x = redis.NewScript(fmt.Sprintf(`return %d`, n))", "return __hole1", "return __hole1 % 2",
			"var x = redis.NewScript(fmt.Sprintf(`return %d %% 2`, n))"},
		"quotes in a verbatim string": {"A.cs", `db.ScriptEvaluate(@"return ""a""");`, `return "a"`, `return "b"`,
			`db.ScriptEvaluate(@"return ""b""");`},
		"quotes between three quotes": {"a.py", "x = \"\"\"\n  local a = \"{0}\"\n\n  return redis.call(\"x\", a)\n\"\"\".format(b)",
			"\n  local a = \"__hole1\"\n\n  return redis.call(\"x\", a)\n", "local a = \"__hole1\"\n\nreturn redis.call(\"x\", a)\n",
			"x = \"\"\"local a = \"{0}\"\n\nreturn redis.call(\"x\", a)\n\"\"\".format(b)"},
		"statements between literals": {"a.php", "<?php $s = '\n    local a\n\n    '.$this->code().'\n\n    return redis.call(\"x\", a)\n    ';",
			"\n    local a\n\n    --[[__hole1]]\n\n    return redis.call(\"x\", a)\n    ",
			"local a\n\n--[[__hole1]]\n\nreturn redis.call(\"x\", a)\n",
			"<?php $s = 'local a\n\n'.$this->code().'\n\nreturn redis.call(\"x\", a)\n';"},
		"a bar": {"A.kt", "r.eval(\"\"\"\n  |return  1\n  |\"\"\".trimMargin())", "return  1\n", "return 1\n",
			"r.eval(\"\"\"\n  |return 1\n  |\"\"\".trimMargin())"},
	} {
		t.Run(name, func(t *testing.T) {
			list := find(t, c.file, c.text)
			require.Len(t, list, 1)
			require.Equal(t, c.old, list[0].Text)
			got, err := list[0].Replace(c.now)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestWhatReplaceRefuses(t *testing.T) {
	for name, c := range map[string]struct{ file, text, now, want string }{
		"a lost hole": {"a.js", "x.eval(`return ${a} + KEYS[1]`)", "return KEYS[1]",
			"a.js#script: what the program inserts would be lost, moved or repeated"},
		"a hole twice": {"a.js", "x.eval(`return ${a} + KEYS[1]`)", "return __hole1 + __hole1",
			"a.js#script: what the program inserts would be lost, moved or repeated"},
		"holes in another order": {"a.js", "x.eval(`return ${a} + ${b} + KEYS[1]`)", "return __hole2 + __hole1 + KEYS[1]",
			"a.js#script: what the program inserts would be lost, moved or repeated"},
		"a backquote in Go": {"a.go", "var x = redis.NewScript(`return 1`)", "return '`'",
			"a.go#x: the file would have another number of scripts"},
		"no line break at the end of a heredoc": {"a.rb", "X = <<~LUA\n  return 1\nLUA\n", "return 2",
			"a.rb#X: the file would have another number of scripts"},
		"a part of two scripts": {"a.js", "const a = 'local a=1\\n'; x.eval(a + 'return a'); x.eval(a + 'return 2')", "local a = 1\nreturn a",
			"a.js#script: a.js#script#2 would change too"},
		"a text that the program changes": {"a.js", "x.eval(`return KEYS[1]`.replace('a', 'b'))", "return  KEYS[1]",
			"a.js#script: the program changes the text of the script"},
		"a shorter list": {"a.js", "redis.eval(['local a=1', 'return  a'].join('\\n'))", "return 1",
			"a.js#script: the new text has fewer lines than the list that is joined has elements"},
	} {
		t.Run(name, func(t *testing.T) {
			list := find(t, c.file, c.text)
			require.NotEmpty(t, list)
			got, err := list[0].Replace(c.now)
			require.EqualError(t, err, c.want)
			require.Empty(t, got)
		})
	}
}

// TestRulesAreData finds scripts by a rule that a person adds.
func TestRulesAreData(t *testing.T) {
	text := "lua_script('return 1')\nother('return 2')\n"
	list, err := embedded.Find("a.py", text, append(embedded.Rules(), embedded.Rule{ID: "own", Call: "lua_script", Argument: 1}))
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "own", list[0].Rule)
	require.Equal(t, "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", list[0].SHA1())
	require.True(t, list[0].Exact())
}
