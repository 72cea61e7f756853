package luatree

import (
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// Token is a piece of the source: a token of Lua, a comment, or what Lua does not read.
type Token struct {
	Range
	Kind TokenKind
}

// TokenKind is the kind of a token.
type TokenKind uint8

// The kinds.
const (
	NameToken    TokenKind = iota
	KeywordToken           // a reserved word
	NumberToken
	StringToken
	SymbolToken  // an operator, a bracket or a separator
	CommentToken // see Comment
	InvalidToken // an unfinished string, a malformed number, …
)

// Tokens cuts any text into its tokens, in the order of the source. It never fails: after a piece
// that Lua does not read it goes on, behind a malformed number, or else in the next line. A first
// line that begins with "#!" has no tokens.
func Tokens(source string) []Token {
	s := scanner{text: source, tokens: make([]Token, 0, len(source)/4)}
	if strings.HasPrefix(source, "#!") {
		s.pos = lineEnd(source, 0)
	}
	for s.pos < len(source) {
		s.run()
	}
	return s.tokens
}

type scanner struct {
	text   string
	pos    int // where the next lexer begins
	tokens []Token
}

// run adds the tokens up to the next piece that Lua does not read, and that piece.
func (s *scanner) run() {
	base := s.pos
	err := s.valid(base)
	if err == nil {
		s.pos = len(s.text)
		return
	}
	from := s.pos
	for from < len(s.text) && strings.IndexByte(" \t\n\v\f\r", s.text[from]) >= 0 {
		from++
	}
	to := invalidEnd(s.text, from)
	if from < to {
		s.tokens = append(s.tokens, Token{Range{from, to}, InvalidToken})
	}
	s.pos = to
}

// valid adds tokens up to an error. It leaves pos behind the last one.
func (s *scanner) valid(base int) (err error) {
	l := syntax.NewLexer(s.text[base:], chunkName, nil)
	defer l.Recover(&err)
	l.Comment = func(from, to int) {
		s.tokens = append(s.tokens, Token{Range{base + from, base + to}, CommentToken})
		s.pos = base + to
	}
	for {
		l.Next()
		if l.Kind == syntax.EOS {
			return nil
		}
		s.tokens = append(s.tokens, Token{Range{base + l.From, base + l.To}, kindOf(l.Kind)})
		s.pos = base + l.To
	}
}

func kindOf(k syntax.Kind) TokenKind {
	switch {
	case k == syntax.Name:
		return NameToken
	case k == syntax.Number:
		return NumberToken
	case k == syntax.String:
		return StringToken
	case k >= syntax.And && k <= syntax.While:
		return KeywordToken
	}
	return SymbolToken
}

// invalidEnd returns the end of a piece that Lua does not read.
func invalidEnd(text string, from int) int {
	rest := text[from:]
	bracket := strings.TrimPrefix(rest, "--")
	switch {
	case rest == "":
		return from
	case strings.HasPrefix(bracket, "[") && strings.HasPrefix(strings.TrimLeft(bracket[1:], "="), "["):
		return len(text)
	case rest[0] >= '0' && rest[0] <= '9' || rest[0] == '.':
		n := 1
		for n < len(rest) && (rest[n] == '.' || rest[n] == '_' || rest[n] >= '0' && rest[n] <= '9' ||
			rest[n]|0x20 >= 'a' && rest[n]|0x20 <= 'z') {
			n++
		}
		return from + n
	}
	return lineEnd(text, from)
}

// lineEnd returns the end of the line around an offset, before its line break.
func lineEnd(text string, from int) int {
	if n := strings.IndexAny(text[from:], "\n\r"); n >= 0 {
		return from + n
	}
	return len(text)
}
