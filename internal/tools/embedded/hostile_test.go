package embedded_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

// ends has the end of a name for each language.
func ends() []string {
	return []string{".go", ".js", ".ts", ".py", ".rb", ".php", ".java", ".kt", ".cs", ".rs"}
}

func TestLimits(t *testing.T) {
	_, err := embedded.Find("a.js", strings.Repeat(" ", embedded.MaxFile+1), embedded.Rules())
	require.EqualError(t, err, "a.js: longer than 4194304 bytes")
	_, err = embedded.Find("a.js", strings.Repeat("x.eval('return 1');", embedded.MaxScripts+1), embedded.Rules())
	require.EqualError(t, err, "a.js: more than 2000 scripts")
	_, err = embedded.Find("a.js", strings.Repeat("`${", 200), embedded.Rules())
	require.EqualError(t, err, "a.js: strings within strings are nested deeper than 100")
	list, err := embedded.Find("a.lua", "x.eval('return 1')", embedded.Rules())
	require.NoError(t, err)
	require.Empty(t, list)
	require.False(t, embedded.Knows("a.lua"))
	require.True(t, embedded.Knows("lib/A.RB"))
}

// hostile are texts that take time in the square of their length, or stacks, if they are read
// without care. Each is repeated up to a size.
func hostile() []string {
	return []string{
		"'", `"`, "`", `\`, `"\`, "'''", `"""`, `"""` + "\n",
		"(", ")(", "([{", "x.eval(", "eval(eval", "<<~A\n", "<<A <<'B' <<-C\n", "<<<A\n", "<<<'A'\nA",
		"/*", "/* */ /*", "//", "/[", "/a", "/(", "#{", "\"#{", "\"${",
		"`${", "f\"{", "$\"{", "$$\"\"\"{", "{{", "}}", "%q(", "%w[", "% ", "%s",
		"a=", "a=\"b\"+", "a=\"b\"+a\n", "\"a\"+", "\"a\" ", "[\"a\",", "[['a'].join(", "a.b.",
		"a:", "a:\"b\",", "a=>", "r#", "r#\"", "br##\"", "@\"", "$@\"",
		"'a", "'a'", "?'", ":'", "lua:`", "lua`${lua`",
		"redmoon:lua", "// redmoon:lua\n", "# redmoon:lua\n", "/*lua*/", "'EVAL',", "redis.call('",
		"\"redis.call('x', KEYS[1])\",", "'return 1',", "function a(){", "def a\n", "def a():\n ", "func a(){",
		"class A{a(){", "<?php ", "?>", "\r\n", "\x00", "\xff", "é",
		"fmt.Sprintf(", "dedent(", "\"\".trimIndent()", "strings.Join([]string{", "DefaultRedisScript<", "b=a+a\na=b+b\n",
	}
}

// TestHostileFiles reads each text in each language, alone and within strings that are not closed.
func TestHostileFiles(t *testing.T) {
	const size = 5_000
	for _, end := range ends() {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			for _, part := range hostile() {
				for _, before := range []string{"", "x.eval(`", "x = \"", "<?php $x = \""} {
					_, err := embedded.Find("a"+end, before+strings.Repeat(part, size/len(part)), embedded.Rules())
					if err != nil {
						require.True(t, strings.HasPrefix(err.Error(), "a"+end+": "), err)
					}
				}
			}
		})
	}
}

// BenchmarkHostileFile shows the time for the text that takes longest.
func BenchmarkHostileFile(b *testing.B) {
	text := strings.Repeat("\"redis.call('x', KEYS[1])\",", 50_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = embedded.Find("a.js", text, embedded.Rules())
	}
}

// FuzzFind reads any text in any language, and puts what it has found back.
func FuzzFind(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(f, err)
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		require.NoError(f, err)
		for _, file := range archive.Files {
			for n, end := range ends() {
				if strings.HasSuffix(file.Name, end) {
					f.Add(uint8(n), string(file.Data))
				}
			}
		}
	}
	for n := range ends() {
		for _, part := range hostile() {
			f.Add(uint8(n), part+part)
		}
	}
	f.Fuzz(func(t *testing.T, language uint8, text string) {
		path := "a" + ends()[int(language)%len(ends())]
		list, err := embedded.Find(path, text, embedded.Rules())
		if err != nil {
			return
		}
		for i := range list {
			s := &list[i]
			checkPlaces(t, s, text)
			same, err := s.Replace(s.Text)
			require.NoError(t, err)
			require.Equal(t, text, same)
			changed := strings.Replace(s.Text, "return", "return ", 1) + "\n"
			if got, err := s.Replace(changed); err == nil {
				again, err := embedded.Find(path, got, embedded.Rules())
				require.NoError(t, err)
				require.Equal(t, changed, again[i].Text)
			}
		}
	})
}
