package repl

import (
	"io"
	"log/slog"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// syntax checks the syntax of Lua code.
type syntax struct{ vm *luabridge.VM }

func (s *syntax) close() {
	if s.vm != nil {
		s.vm.Close()
	}
}

// check compiles a script, or a library if its first line names one. It returns the error of EVAL
// or of FUNCTION LOAD.
func (s *syntax) check(source string) error {
	if luabridge.IsLibrary(source) {
		_, err := luabridge.CheckSource(source)
		return err
	}
	if s.vm == nil {
		s.vm = luabridge.New(luabridge.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	}
	_, err := s.vm.Compile(source)
	return err
}

// lines returns the lines at which a script can stop, in ascending order.
func (s *syntax) lines(source string) []int {
	if luabridge.IsLibrary(source) {
		lines, _ := luabridge.CheckSource(source)
		return lines
	}
	if s.check(source) != nil {
		return nil
	}
	compiled, _ := s.vm.Compile(source) // it compiles
	return compiled.Lines()
}

// chunk makes a script of typed code. An expression is returned. If code is neither an expression
// nor statements, the error is that of the statements, unless their first word is already wrong.
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

// open reports whether code is incomplete, but correct so far.
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
