package lintfiles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// schema is a JSON schema, as far as that of SARIF needs it.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"` // a name, or several
	Properties  map[string]*schema `json:"properties"`
	Additional  *bool              `json:"additionalProperties"`
	Required    []string           `json:"required"`
	AnyOf       []*schema          `json:"anyOf"`
	Items       *schema            `json:"items"`
	MinItems    int                `json:"minItems"`
	Unique      bool               `json:"uniqueItems"`
	Enum        []any              `json:"enum"`
	Minimum     *float64           `json:"minimum"`
	Format      string             `json:"format"`
	Definitions map[string]*schema `json:"definitions"`
}

// UnmarshalJSON reads a schema; true is one that allows everything.
func (s *schema) UnmarshalJSON(b []byte) error {
	if string(b) == "true" {
		return nil
	}
	type plain schema
	return json.Unmarshal(b, (*plain)(s))
}

// problems returns what is wrong with a value. root has the definitions.
func (s *schema) problems(root *schema, at string, v any) (list []string) {
	if name, ok := strings.CutPrefix(s.Ref, "#/definitions/"); ok {
		return root.Definitions[name].problems(root, at, v)
	}
	add := func(format string, args ...any) { list = append(list, at+": "+fmt.Sprintf(format, args...)) }
	if s.Type != nil && !slices.Contains(names(s.Type), typeOf(v)) {
		add("%s is not a %v", typeOf(v), s.Type)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		add("%v is not one of %v", v, s.Enum)
	}
	if len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, func(a *schema) bool { return len(a.problems(root, at, v)) == 0 }) {
		add("none of the alternatives fits")
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				add("%s is missing", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if p := s.Properties[name]; p != nil {
				list = append(list, p.problems(root, at+"."+name, v[name])...)
			} else if s.Additional != nil && !*s.Additional {
				add("there is no property %s", name)
			}
		}
	case []any:
		if len(v) < s.MinItems {
			add("%d items are too few", len(v))
		}
		seen := map[string]bool{}
		for i, item := range v {
			if s.Items != nil {
				list = append(list, s.Items.problems(root, fmt.Sprintf("%s[%d]", at, i), item)...)
			}
			b, _ := json.Marshal(item)
			if s.Unique && seen[string(b)] {
				add("item %d is there twice", i)
			}
			seen[string(b)] = true
		}
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			add("%v is less than %v", v, *s.Minimum)
		}
	case string:
		if _, err := url.Parse(v); strings.HasPrefix(s.Format, "uri") && err != nil {
			add("%q is not a URI", v)
		}
	}
	return list
}

func names(v any) []string {
	if name, ok := v.(string); ok {
		return []string{name}
	}
	var list []string
	for _, name := range v.([]any) {
		list = append(list, name.(string))
	}
	return list
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

// SARIF output is as the schema of SARIF 2.1.0 wants it. testdata has the parts of the schema.
func TestSARIFFollowsItsSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/sarif-schema.json")
	require.NoError(t, err)
	root := &schema{}
	require.NoError(t, json.Unmarshal(text, root))
	check := func(log []byte) []string {
		var v any
		require.NoError(t, json.Unmarshal(log, &v))
		return root.problems(root, "log", v)
	}

	dir := t.TempDir()
	for _, r := range lint.Rules() {
		write1(t, dir, r.ID+"/a b,ä:.lua", r.Bad.Script)
		if r.Bad.Beside != "" {
			write1(t, dir, r.ID+"/b.lua", r.Bad.Beside)
		}
	}
	write1(t, dir, "x.lua", "x = 'ä\xff\x1b' .. y -- €\n")
	results, err := Run([]string{dir, "-"}, Options{Level: lint.Info, Stdin: strings.NewReader("return +")})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, PrintSARIF(&b, results))
	require.Empty(t, check(b.Bytes()))
	require.Contains(t, b.String(), `"uri": "file:///`)
	require.Contains(t, b.String(), `"uri": "stdin"`)
	require.Contains(t, b.String(), `a%20b,%C3%A4:.lua"`)

	b.Reset()
	require.NoError(t, PrintSARIF(&b, nil))
	require.Empty(t, check(b.Bytes()))

	// The schema refuses what is wrong.
	for log, want := range map[string]string{
		`{"version": "2.1.0"}`:                                    "log: runs is missing",
		`{"version": "2.0.0", "runs": []}`:                        "log.version: 2.0.0 is not one of [2.1.0]",
		`{"version": "2.1.0", "runs": [{"tool": {}}]}`:            "log.runs[0].tool: driver is missing",
		`{"version": "2.1.0", "runs": [{"tool": {"driver": 1}}]}`: "log.runs[0].tool.driver: integer is not a object",
		`{"version": "2.1.0", "runs": [], "x": 1}`:                "log: there is no property x",
	} {
		require.Equal(t, want, strings.Join(check([]byte(log)), "; "), log)
	}
}

// unescape reads a workflow command as GitHub's runner does.
func unescape(t *testing.T, line string) (properties map[string]string, message string) {
	head, message, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	require.True(t, ok)
	_, list, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for _, pair := range strings.Split(list, ",") {
		name, value, ok := strings.Cut(pair, "=")
		require.True(t, ok, line)
		properties[name] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
	}
	return properties, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(message)
}

// GitHub reads back what was meant.
func TestAnnotationsAreReadBack(t *testing.T) {
	path := write1(t, t.TempDir(), "50%,a=b::c.lua", "local x = '100%25' .. nosuch\nreturn redis.call('GET', 'a:%0A,b' .. x)\n")
	results, err := Run([]string{path}, Options{Level: lint.Info})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, PrintGitHub(&b, results))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, len(results[0].Findings))
	for i, line := range lines {
		f := results[0].Findings[i]
		properties, message := unescape(t, line)
		require.Equal(t, map[string]string{"file": path, "title": f.Rule, "line": fmt.Sprint(f.Line), "endLine": fmt.Sprint(f.EndLine),
			"col": fmt.Sprint(f.Column), "endColumn": fmt.Sprint(f.EndColumn)}, properties)
		require.Equal(t, f.Message, message)
	}
}
