package syntax

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tokens returns all tokens of a text.
func tokens(source string) (list []Token, err error) {
	l := NewLexer(source, "c", nil)
	defer l.Recover(&err)
	for {
		l.Next()
		if l.Kind == EOS {
			return list, nil
		}
		list = append(list, l.Token)
	}
}

func TestErrorsNameLineAndToken(t *testing.T) {
	for source, want := range map[string]string{
		"return 'a\nb'":      "c:1: unfinished string near ''a'",
		"return 1..2":        "c:1: malformed number near '1..2'",
		`return '\300'`:      `c:1: escape sequence too large near '''`,
		"\n\nreturn [==[ ]]": "c:3: unfinished long string near '<eof>'",
	} {
		_, err := tokens(source)
		assert.EqualError(t, err, want, source)
	}
}

func TestStringsAndNumbers(t *testing.T) {
	list, err := tokens("'a\\065\\n\\\nb' [==[\nx]]y]==] 0x10 010 1e2")
	require.NoError(t, err)
	require.Len(t, list, 5)
	assert.Equal(t, "aA\n\nb", list[0].Text)
	assert.Equal(t, "x]]y", list[1].Text)
	for i, want := range []float64{16, 10, 100} {
		assert.Equal(t, Number, list[2+i].Kind)
		assert.Equal(t, want, list[2+i].Number)
	}
}

func FuzzALexerEndsWithAnErrorOrAtTheEnd(f *testing.F) {
	f.Add("local a <const> = {1, [2]=3, f'x'} return a..1")
	f.Add("--[==[ x")
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := tokens(source); err != nil {
			require.IsType(t, &Error{}, err)
		}
	})
}
