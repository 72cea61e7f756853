package dap

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// redisCommand matches a Redis command typed at the client's prompt, as in Redis's own debugger.
// The text is not Lua, unless an operator follows the word redis.
var redisCommand = regexp.MustCompile(`^\s*redis\s+([A-Za-z][^\s]*)`)

// onEvaluate evaluates Lua in a frame. At the prompt it may be any code, or a Redis command such as
// "redis GET k". Where the mouse rests it must be a name with fields. Otherwise it is an
// expression. For the clipboard the result is JSON if the value has that form.
func (in *inspector) onEvaluate(r *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	level, err := in.level(r.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	code := r.Arguments.Expression
	if m := redisCommand.FindStringSubmatch(code); m != nil && r.Arguments.Context == "repl" && m[1] != "and" && m[1] != "or" {
		return in.evaluateCommand(strings.TrimSpace(code)[len("redis"):])
	}
	do := in.at
	switch r.Arguments.Context {
	case "hover":
		if !isPath(code) {
			return nil, errors.New("not a name")
		}
	case "repl", "":
		do = in.change
	}
	var values []engine.LuaValue
	err = do(func(s *engine.Stack) error {
		var err error
		values, err = s.Eval(level, "@evaluate", code)
		return err
	})
	if err != nil {
		return nil, err
	}
	response := &dap.EvaluateResponse{}
	err = in.at(func(*engine.Stack) error {
		response.Body = in.variables.describeValues(code, level, values, r.Arguments.Context)
		return nil
	})
	return response, err
}

// evaluateCommand runs a Redis command.
func (in *inspector) evaluateCommand(line string) (dap.ResponseMessage, error) {
	words, ok := quoting.Words(line)
	if !ok || len(words) == 0 {
		return nil, errors.New("unbalanced quotes")
	}
	v, err := in.run.current.session.Do(words...)
	if err != nil {
		return nil, err
	}
	response := &dap.EvaluateResponse{}
	response.Body.Result, response.Body.Type = strings.TrimSuffix(in.format(v), "\n"), in.client.typeName(v.Kind().String())
	response.Body.VariablesReference, response.Body.NamedVariables = in.variables.openReply(v)
	return response, nil
}

// path matches a name followed by fields and elements. Evaluating it runs no code except
// metamethods.
var path = regexp.MustCompile(`^\s*[A-Za-z_]\w*` +
	`(\s*\.\s*[A-Za-z_]\w*|\[\s*-?\d+\s*\]|\["[^"\\]*"\]|\['[^'\\]*'\]|\[\s*[A-Za-z_]\w*\s*\])*\s*$`)

func isPath(code string) bool { return path.MatchString(code) }

// onSetExpression assigns a value to the variable or field that an expression names.
func (in *inspector) onSetExpression(r *dap.SetExpressionRequest) (dap.ResponseMessage, error) {
	level, err := in.level(r.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	expression := strings.TrimSpace(r.Arguments.Expression)
	if err := checkSyntax("function() " + expression + " = nil end"); err != nil {
		return nil, fmt.Errorf("%s cannot be assigned to", expression)
	}
	if err := checkSyntax(r.Arguments.Value); err != nil {
		return nil, err
	}
	var values []engine.LuaValue
	err = in.change(func(s *engine.Stack) error {
		if _, err := s.Eval(level, "@set", expression+" = "+r.Arguments.Value+"\n"); err != nil {
			return err
		}
		var err error
		values, err = s.Eval(level, "@set", expression)
		return err
	})
	if err != nil {
		return nil, err
	}
	response := &dap.SetExpressionResponse{}
	err = in.at(func(*engine.Stack) error {
		described := in.variables.describeValues(expression, level, values, "")
		response.Body = dap.SetExpressionResponseBody{
			Value: described.Result, Type: described.Type, VariablesReference: described.VariablesReference,
			NamedVariables: described.NamedVariables, IndexedVariables: described.IndexedVariables,
		}
		return nil
	})
	return response, err
}
