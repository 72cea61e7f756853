package syntax

import "errors"

// Token is a token of a text.
type Token struct {
	Kind   string  // as it is written: "and", "==", "("; Name, Number and String; EOS at the end of the text
	Text   string  // a name; the value of a string
	Number float64 // the value of a number
	Line   int     // where it ends
}

// The kinds of tokens that are written in many ways.
const (
	Name   = "<name>"
	Number = "<number>"
	String = "<string>"
	EOS    = "<eof>"
)

// Tokens cuts a text into tokens, the last of which is [EOS]. The error is an *[Error].
func Tokens(source, name string) (tokens []Token, err error) {
	l := &lexer{src: source, name: name, line: 1}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if mistake := (*Error)(nil); !ok || !errors.As(e, &mistake) {
				panic(r)
			}
			tokens, err = nil, e
		}
	}()
	for {
		t := l.scan()
		tokens = append(tokens, Token{t.kind.String(), t.text, t.number, l.line})
		if t.kind == tkEOS {
			return tokens, nil
		}
	}
}
