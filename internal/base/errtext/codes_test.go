package errtext

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIsCodeKnowsTheTexts looks at the codes of all texts of this package.
func TestIsCodeKnowsTheTexts(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errtext.go", nil, 0)
	require.NoError(t, err)
	code, found := regexp.MustCompile(`^-?([A-Z]{3,}) [^ ]`), 0
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			if m := code.FindStringSubmatch(text); m != nil {
				found++
				require.True(t, IsCode(m[1]), text)
			}
		}
		return true
	})
	require.Greater(t, found, 30)
	require.False(t, IsCode("MYCODE"))
}
