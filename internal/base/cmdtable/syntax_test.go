package cmdtable_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// tableOf returns a table of these rows. A row without an arity takes any number of arguments.
func tableOf(c servers.Server, rows ...*cmdtable.Spec) *cmdtable.Table {
	for _, s := range rows {
		if s.Arity == 0 {
			s.Arity = -1
		}
	}
	return cmdtable.NewTable(c, []func() []*cmdtable.Spec{func() []*cmdtable.Spec { return rows }})
}

// rowOf returns a row with this syntax, in the table of a version.
func rowOf(c servers.Server, syntax string) *cmdtable.Spec {
	s := &cmdtable.Spec{Name: "x", Syntax: syntax}
	tableOf(c, s)
	return s
}

func TestEachNotationMakesItsArgument(t *testing.T) {
	type arg = cmdtable.Arg
	word := func(name string) arg { return arg{Name: name, Type: "string"} }
	for syntax, want := range map[string]arg{
		"name":         word("name"),
		"name#":        {Name: "name", Type: "integer"},
		"name~":        {Name: "name", Type: "double"},
		"name^":        {Name: "name", Type: "unix-time"},
		"name*":        {Name: "name", Type: "pattern"},
		"name*2":       {Name: "name", Type: "pattern", KeySpec: 2, ShowsKeySpec: true},
		"name@0":       {Name: "name", Type: "key"},
		"name@1...":    {Name: "name", Type: "key", KeySpec: 1, Multiple: true},
		"TOKEN":        {Name: "token", Type: "pure-token", Token: "TOKEN"},
		"name=TOKEN":   {Name: "name", Type: "pure-token", Token: "TOKEN"},
		`n=\=`:         {Name: "n", Type: "pure-token", Token: "="},
		`a\:b`:         word("a:b"),
		"TOKEN:arg#":   {Name: "arg", Type: "integer", Token: "TOKEN"},
		"TOKEN:arg...": {Name: "arg", Type: "string", Token: "TOKEN", Multiple: true},
		"T:arg+...":    {Name: "arg", Type: "string", Token: "T", Multiple: true, MultipleToken: true},
		"n(a|B)":       {Name: "n", Type: "oneof", Args: []arg{word("a"), {Name: "b", Type: "pure-token", Token: "B"}}},
		"n{a b#}":      {Name: "n", Type: "block", Args: []arg{word("a"), {Name: "b", Type: "integer"}}},
		"n{a b}...":    {Name: "n", Type: "block", Args: []arg{word("a"), word("b")}, Multiple: true},
		"[a]":          {Name: "a", Type: "string", Optional: true},
		"[a]...":       {Name: "a", Type: "string", Optional: true, Multiple: true},
		"[a...]":       {Name: "a", Type: "string", Optional: true, Multiple: true},
		"[T:a#>6.2.0]": {Name: "a", Type: "integer", Token: "T", Optional: true, Since: "6.2.0"},
		"a>>6.2.0":     {Name: "a", Type: "string", From: "6.2.0"},
		"a<2.8.12":     {Name: "a", Type: "string", Deprecated: "2.8.12"},
		"a>2.0.0<3.0":  {Name: "a", Type: "string", Since: "2.0.0", Deprecated: "3.0"},
	} {
		require.Equal(t, []arg{want}, rowOf(servers.Redis70, syntax).Arguments(), syntax)
	}
	require.Nil(t, rowOf(servers.Redis70, "").Arguments())
}

func TestMalformedSyntaxIsFound(t *testing.T) {
	for _, syntax := range []string{"a]", "a)", "a|b", "n(a|b", "[a b]", "a  b)", "n{a|b}"} {
		s := &cmdtable.Spec{Name: "x", Syntax: syntax}
		if syntax == "n(a|b" { // the end closes what is open
			require.NotPanics(t, func() { s.Arguments() }, syntax)
			continue
		}
		require.Panics(t, func() { s.Arguments() }, syntax)
	}
}

func TestArgumentsOfLaterVersionsAreLeftOut(t *testing.T) {
	const syntax = "key [NX>6.0.0] [n(A|B>7.4.0|C>>8.0.0)] [NEW>7.4.0] [b{x y>8.0.0}]"
	for c, want := range map[servers.Server]string{
		servers.Redis70: "key|[NX]|[A]|[x]",
		servers.Redis74: "key|[NX]|[A|B]|[NEW]|[x]",
		servers.Redis80: "key|[NX]|[A|B|C]|[NEW]|[x y]",
	} {
		require.Equal(t, want, strings.Join(rowOf(c, syntax).Texts(), "|"))
	}
}

func TestArgumentsAsHelpShowsThem(t *testing.T) {
	for syntax, want := range map[string]string{
		"key@0 value":                "key value",
		"key@0...":                   "key [key ...]",
		"[key@0...]":                 "[key [key ...]]",
		"[c(NX|XX)]":                 "[NX|XX]",
		"[EX:seconds#]":              "[EX seconds]",
		`[ADDR:addr"ip:port"#...]`:   "[ADDR ip:port [ip:port ...]]",
		"GET:pattern*+...":           "GET pattern [GET pattern ...]",
		"[W:weight#...]":             "[W weight [weight ...]]",
		"d{field value}...":          "field value [field value ...]",
		"[L:l{offset count#}] [ASC]": "[L offset count] [ASC]",
		`[o(equal=\=|near=\~)]`:      "[=|~]",
	} {
		require.Equal(t, want, strings.Join(rowOf(servers.Redis70, syntax).Texts(), " "), syntax)
	}
}

// set and the other rows of hints have the syntax of Redis.
func hinted() *cmdtable.Table {
	return tableOf(servers.Redis70,
		&cmdtable.Spec{Name: "set", Syntax: "key@0 value [c(NX|XX)] [GET] [e(EX:seconds#|KEEPTTL)]"},
		&cmdtable.Spec{Name: "del", Syntax: "key@0..."},
		&cmdtable.Spec{Name: "hset", Syntax: "key@0 d{field value}..."},
		&cmdtable.Spec{Name: "sort", Syntax: "key@0 [LIMIT:l{offset# count#}] [GET:pattern*+...]"},
		&cmdtable.Spec{Name: "zrange", Syntax: "key@0 [l{LIMIT:offset# count#}] [REV]"},
		&cmdtable.Spec{Name: "ping", Syntax: "[message]"},
		&cmdtable.Spec{Name: "multi"},
		&cmdtable.Spec{Name: "config", Arity: -2, Subs: []*cmdtable.Spec{
			{Name: "set", Arity: -4, Syntax: "d{parameter value}..."}, {Name: "get", Arity: -3, Syntax: "parameter..."}, {Name: "help", Arity: 2},
		}})
}

func TestHintsShowWhatMayFollow(t *testing.T) {
	table := hinted()
	for typed, want := range map[string]string{
		"":                    "",
		"nosuch":              "",
		"set":                 "key value [NX|XX] [GET] [EX seconds|KEEPTTL]",
		"SET k":               "value [NX|XX] [GET] [EX seconds|KEEPTTL]",
		"set k v":             "[NX|XX] [GET] [EX seconds|KEEPTTL]",
		"set k v xx":          "[GET] [EX seconds|KEEPTTL]",
		"set k v get":         "[NX|XX] [EX seconds|KEEPTTL]",
		"set k v ex":          "seconds [NX|XX] [GET]",
		"set k v EX 10":       "[NX|XX] [GET]",
		"set k v keepttl get": "[NX|XX]",
		"set k v more":        "",
		"del":                 "key [key ...]",
		"del a":               "[key ...]",
		"del a b":             "[key ...]",
		"hset h":              "field value [field value ...]",
		"hset h f":            "value [field value ...]",
		"hset h f v":          "[field value ...]",
		"hset h f v g":        "value [field value ...]",
		"sort k limit":        "offset count [GET pattern [GET pattern ...]]",
		"sort k limit 0":      "count [GET pattern [GET pattern ...]]",
		"sort k get p":        "[GET pattern ...] [LIMIT offset count]",
		"sort k get p get q":  "[GET pattern ...] [LIMIT offset count]",
		"zrange k rev":        "[LIMIT offset count]",
		"zrange k limit":      "offset count [REV]",
		"zrange k limit 0":    "count [REV]",
		"ping":                "[message]",
		"ping a":              "",
		"multi":               "",
		"config":              "GET|HELP|SET",
		"config set":          "parameter value [parameter value ...]",
		"CONFIG GET a":        "[parameter ...]",
		"config nosuch":       "",
		"config help":         "",
	} {
		require.Equal(t, want, table.Hint(strings.Fields(typed)...), typed)
	}
}

func TestWhatIsExpectedNamesItsPlaceAndItsKeywords(t *testing.T) {
	set, sort := hinted().Lookup("set"), hinted().Lookup("sort")
	for _, c := range []struct {
		spec   *cmdtable.Spec
		typed  string
		place  int
		tokens string
	}{
		{set, "", 0, ""},
		{set, "k", 1, ""},
		{set, "k v", 2, "NX XX GET EX seconds KEEPTTL"},
		{set, "k v nx", 3, "GET EX seconds KEEPTTL"},
		{set, "k v ex", 4, ""},
		{set, "k v ex 1", 2, "NX XX GET"},
		{set, "k v nx get keepttl", -1, ""},
		{set, "k v what", -1, ""},
		{sort, "k", 1, "LIMIT offset count GET pattern"},
		{sort, "k limit", 1, ""},
		{sort, "k get", 2, ""},
	} {
		e := c.spec.Expect(strings.Fields(c.typed))
		var tokens []string
		for _, token := range e.Tokens {
			require.True(t, strings.HasPrefix(token.Text, token.Word), c.typed)
			tokens = append(tokens, token.Text)
		}
		require.Equal(t, c.place, e.Place, c.typed)
		require.Equal(t, c.tokens, strings.Join(tokens, " "), c.typed)
	}
}

func TestNamesAreSortedWithTheirSubcommands(t *testing.T) {
	require.Equal(t, []string{"config", "config get", "config help", "config set", "del", "hset", "multi", "ping", "set", "sort", "zrange"},
		hinted().Names())
}
