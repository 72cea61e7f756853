package embedded

import (
	"go/scanner"
	gotoken "go/token"
	"strings"
)

// scanGo cuts a Go program into tokens with the scanner of the standard library.
func scanGo(lang *language, text string) *program {
	var s scanner.Scanner
	files := gotoken.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	s.Init(file, []byte(text), func(gotoken.Position, string) {}, scanner.ScanComments)
	p := &program{text: text, lang: lang}
	line := 0
	for {
		pos, tok, value := s.Scan()
		if tok == gotoken.EOF {
			return p
		}
		if tok == gotoken.SEMICOLON && value != ";" { // one that a line break stands for
			continue
		}
		if value == "" {
			value = tok.String()
		}
		if tok == gotoken.COMMENT {
			p.notes = append(p.notes, goNote(file.Offset(pos), len(p.tokens), text))
			continue
		}
		t := goToken(tok, file.Offset(pos), len(value), text)
		now := file.Line(pos)
		t.breaks = now > line
		line = now + strings.Count(text[t.from:t.to], "\n")
		p.tokens = append(p.tokens, t)
	}
}

// goToken makes a token. size is its length, without the line breaks of Windows that it has.
func goToken(tok gotoken.Token, from, size int, text string) token {
	t := token{kind: mark, from: from, to: min(from+size, len(text))}
	switch {
	case tok == gotoken.STRING:
		t.kind = other
		if lit := goString(from, text); lit != nil {
			t.kind, t.to, t.lit = str, lit.to, lit
		}
	case tok == gotoken.CHAR:
		t.kind = other
	case tok.IsLiteral() || tok.IsKeyword():
		t.kind = word
	}
	return t
}

func goNote(from, next int, text string) note {
	end := lineLength(text[from:])
	if strings.HasPrefix(text[from:], "/*") {
		if end = strings.Index(text[from:], "*/"); end < 2 {
			end = 2
		}
	}
	return note{from: from + 2, to: from + end, next: next}
}

// goString returns a string, or nil if it is not closed.
func goString(from int, text string) *literal {
	s := programScanner{text: text}
	q := quote{close: text[from : from+1], escapes: goEscapes}
	if q.close == "`" {
		q.escapes, q.multi = nil, true
	}
	lit := &literal{from: from, bodyFrom: from + 1, quote: q}
	s.at = from + 1
	if !s.body(lit, len(text)) {
		return nil
	}
	lit.bodyTo, lit.to = s.at, s.at+1
	return lit
}
