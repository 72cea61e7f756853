package main

import (
	"go/format"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/repo"
)

// breakCode breaks lines of code that are longer than [repo.MaxCode]: after commas and operators,
// else within string literals. Comments behind such lines move above them.
func breakCode(source []byte) ([]byte, error) {
	if repo.IsGenerated(source) {
		return source, nil
	}
	for range 50 {
		out, err := breakOnce(source)
		if err != nil {
			return nil, err
		}
		if string(out) == string(source) {
			break
		}
		if source, err = format.Source(out); err != nil {
			return nil, err
		}
	}
	return source, nil
}

// lineToken is a token of a line of code.
type lineToken struct {
	tok      token.Token
	from, to int // bytes in the line
	text     string
}

// breakOnce breaks each long line at one place.
func breakOnce(source []byte) ([]byte, error) {
	lines, err := repo.GoLines(source)
	if err != nil {
		return nil, err
	}
	tokens := tokensByLine(source)
	text := strings.Split(string(source), "\n")
	var out []string
	for i, line := range text {
		if lines[i].Kind == repo.Code && repo.Width(line) > repo.MaxCode {
			line = breakLine(line, tokens[i+1])
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n")), nil
}

// tokensByLine returns the tokens that lie in one line, by its number.
func tokensByLine(source []byte) map[int][]lineToken {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	byLine := map[int][]lineToken{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return byLine
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		if lit == "" || tok == token.SEMICOLON {
			lit = tok.String()
		}
		p := fset.Position(pos)
		if strings.Contains(lit, "\n") {
			lit = lit[:strings.Index(lit, "\n")]
		}
		byLine[p.Line] = append(byLine[p.Line], lineToken{tok, p.Column - 1, p.Column - 1 + len(lit), lit})
	}
}

func breakLine(line string, tokens []lineToken) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
	if n := len(tokens); n > 1 && tokens[n-1].tok == token.COMMENT {
		return indent + tokens[n-1].text + "\n" + strings.TrimRight(line[:tokens[n-1].from], " \t")
	}
	if at := breakAfter(line, tokens); at > 0 {
		return line[:at] + "\n" + strings.TrimLeft(line[at:], " ")
	}
	return breakString(line, tokens)
}

// breakAfter returns the best place for a line end: far to the right, and outside of brackets where
// possible; 0 if there is none.
func breakAfter(line string, tokens []lineToken) int {
	const perBracket = 30 // characters that a line may be shorter for a break outside one more bracket
	best, score, depth := 0, 0, 0
	for i, t := range tokens {
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		width := repo.Width(line[:t.to])
		if i == len(tokens)-1 || width > repo.MaxCode {
			continue
		}
		switch t.tok {
		case token.COMMA, token.LAND, token.LOR, token.ADD:
			if s := width - perBracket*depth; best == 0 || s > score {
				best, score = t.to, s
			}
		}
	}
	return best
}

// breakString cuts the string literal that passes the greatest width at a blank.
func breakString(line string, tokens []lineToken) string {
	for i, t := range tokens {
		if t.tok != token.STRING || t.from > repo.MaxCode-20 || repo.Width(line[:t.to]) <= repo.MaxCode {
			continue
		}
		if i > 0 && tokens[i-1].tok == token.IDENT { // the tag of a field
			continue
		}
		if i+1 < len(tokens) && (tokens[i+1].tok == token.LBRACK || tokens[i+1].tok == token.PERIOD) {
			continue
		}
		end := t.from
		for n := range line[t.from:t.to] {
			if repo.Width(line[:t.from+n]) > repo.MaxCode-4 {
				break
			}
			end = t.from + n
		}
		at := strings.LastIndexByte(line[t.from:end], ' ')
		if at < 20 || !strings.HasSuffix(t.text, t.text[:1]) {
			continue
		}
		at += t.from + 1
		quote := t.text[:1]
		return line[:at] + quote + " +\n" + quote + line[at:]
	}
	return line
}
