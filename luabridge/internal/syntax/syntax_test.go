package syntax

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/gopher-lua/ast"
)

func TestErrorsNameLineAndToken(t *testing.T) {
	for source, want := range map[string]string{
		"x =":                           "c:1: unexpected symbol near '<eof>'",
		"\n\nfor":                       "c:3: '<name>' expected near '<eof>'",
		"if x then\n\n":                 "c:3: 'end' expected (to close 'if' at line 1) near '<eof>'",
		"goto x":                        "c:1: '=' expected near 'x'",
		"return 'a\nb'":                 "c:1: unfinished string near ''a'",
		"return 1..2":                   "c:1: malformed number near '1..2'",
		"break":                         "c:1: no loop to break near '<eof>'",
		"\x00":                          "c:1: unexpected symbol",
		"f\n(1)":                        "c:2: ambiguous syntax (function call x new statement) near '('",
		`return '\300'`:                 `c:1: escape sequence too large near '''`,
		"'x':upper()":                   "c:1: unexpected symbol near ''x''",
		"return function() x = ... end": "c:1: cannot use '...' outside a vararg function near '...'",
	} {
		_, _, err := Parse(source, "c", 0)
		assert.EqualError(t, err, want, source)
	}
}

func TestOnlyALocalFunctionSeesItsOwnName(t *testing.T) {
	chunk, _, err := Parse("local function f() end local g = function() end", "c", 0)
	require.NoError(t, err)
	assert.Len(t, chunk[0].(*ast.LocalAssignStmt).Exprs, 1)
	assert.Len(t, chunk[1].(*ast.LocalAssignStmt).Exprs, 2, "not to be compiled as a local function")
}

func TestStringsAndNumbers(t *testing.T) {
	chunk, _, err := Parse("return 'a\\065\\n\\\nb', [==[\nx]]y]==], 0x10, 010, 1e2", "c", 0)
	require.NoError(t, err)
	exprs := chunk[0].(*ast.ReturnStmt).Exprs
	assert.Equal(t, "aA\n\nb", exprs[0].(*ast.StringExpr).Value)
	assert.Equal(t, "x]]y", exprs[1].(*ast.StringExpr).Value)
	assert.Equal(t, "16", exprs[2].(*ast.NumberExpr).Value)
	assert.Equal(t, "10", exprs[3].(*ast.NumberExpr).Value)
	assert.Equal(t, "100", exprs[4].(*ast.NumberExpr).Value)
}

func FuzzParseEndsWithAnErrorOrAChunk(f *testing.F) {
	f.Add("local a <const> = {1, [2]=3, f'x'} return a..1")
	f.Add("--[==[ x")
	f.Fuzz(func(t *testing.T, source string) {
		if _, _, err := Parse(source, "c", 0); err != nil {
			require.IsType(t, &Error{}, err)
		}
	})
}
