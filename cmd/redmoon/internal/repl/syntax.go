package repl

import (
	"io"
	"log/slog"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// syntax checks Lua texts.
type syntax struct{ vm *luabridge.VM }

func (s *syntax) close() {
	if s.vm != nil {
		s.vm.Close()
	}
}

// check compiles a script. The error is that of EVAL.
func (s *syntax) check(source string) error {
	if s.vm == nil {
		s.vm = luabridge.New(luabridge.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	}
	_, err := s.vm.Compile(source)
	return err
}

// lines are those at which a script can stop, in order.
func (s *syntax) lines(source string) []int {
	if s.check(source) != nil {
		return nil
	}
	compiled, _ := s.vm.Compile(source) // it does
	return compiled.Lines()
}

// chunk makes a script of what was typed: an expression is returned. The error is that of the text as statements, unless not even its first word fits there.
func (s *syntax) chunk(code string) (string, error) {
	expression := "return " + code
	asExpression := s.check(expression)
	if asExpression == nil {
		return expression, nil
	}
	err := s.check(code)
	code = strings.TrimSpace(code)
	if n, _ := luaToken(code + " "); err != nil && strings.Contains(err.Error(), "near '"+code[:min(n, len(code))]+"'") {
		return code, asExpression
	}
	return code, err
}

// open reports whether a text lacks an end, and is no mistake so far.
func (s *syntax) open(code string) bool {
	if strings.TrimSpace(code) == "" {
		return true
	}
	if s.check("return "+code) == nil {
		return false
	}
	err := s.check(code)
	return err != nil && (lacksEnd(err) || lacksEnd(s.check("return "+code)))
}

func lacksEnd(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "near '<eof>'") || strings.Contains(err.Error(), "unfinished long"))
}
