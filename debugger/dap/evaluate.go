package dap

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/quoting"
)

// redisCommand is a Redis command typed at the client's prompt, as in Redis's own debugger. It is never Lua, but for the operators.
var redisCommand = regexp.MustCompile(`^\s*redis\s+([A-Za-z][^\s]*)`)

// onEvaluate evaluates Lua in a frame: expressions and statements at the prompt, where "redis GET k" is a Redis command; names and fields where the mouse rests; expressions else.
func (c *conn) onEvaluate(r *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	level, err := c.level(r.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	code := r.Arguments.Expression
	if m := redisCommand.FindStringSubmatch(code); m != nil && r.Arguments.Context == "repl" && m[1] != "and" && m[1] != "or" {
		return c.evaluateCommand(strings.TrimSpace(code)[len("redis"):])
	}
	do := c.at
	switch r.Arguments.Context {
	case "hover":
		if !isPath(code) {
			return nil, errors.New("not a name")
		}
	case "repl", "":
		do = c.change
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
	err = c.at(func(*engine.Stack) error {
		response.Body = c.describeValues(code, level, values, r.Arguments.Context)
		return nil
	})
	return response, err
}

// describeValues tells the values of an expression.
func (c *conn) describeValues(code string, level int, values []engine.LuaValue, context string) dap.EvaluateResponseBody {
	limit := valueLimit
	if context == "clipboard" {
		limit = 0
	}
	body := dap.EvaluateResponseBody{Result: debugger.FormatAll(values, limit)}
	switch len(values) {
	case 0:
	case 1:
		evaluate := ""
		if isPath(code) {
			evaluate = strings.TrimSpace(code)
		}
		told := c.describeValue("", evaluate, level, values[0])
		body.Type, body.VariablesReference, body.NamedVariables, body.IndexedVariables = told.Type, told.VariablesReference, told.NamedVariables, told.IndexedVariables
	default:
		body.Type, body.IndexedVariables = c.typeName("values"), len(values)
		body.VariablesReference = c.open(container{level: level, indexed: len(values), list: func(*engine.Stack) (all []entry, err error) {
			for i, v := range values {
				all = append(all, func() variable { return variable{Variable: c.describeValue(fmt.Sprintf("[%d]", i+1), "", level, v)} })
			}
			return all, nil
		}})
	}
	return body
}

// evaluateCommand runs a Redis command.
func (c *conn) evaluateCommand(line string) (dap.ResponseMessage, error) {
	words, ok := quoting.Words(line)
	if !ok || len(words) == 0 {
		return nil, errors.New("the quotes are not balanced")
	}
	v, err := c.run.session.Do(words...)
	if err != nil {
		return nil, err
	}
	response := &dap.EvaluateResponse{Body: dap.EvaluateResponseBody{Result: strings.TrimSuffix(c.opts.Format(v), "\n"), Type: c.typeName(v.Kind().String())}}
	response.Body.VariablesReference, response.Body.NamedVariables = c.openReply(v)
	return response, nil
}

// path is a name with fields and elements behind it, which can be looked at without running anything but metamethods.
var path = regexp.MustCompile(`^\s*[A-Za-z_]\w*(\s*\.\s*[A-Za-z_]\w*|\[\s*-?\d+\s*\]|\["[^"\\]*"\]|\['[^'\\]*'\]|\[\s*[A-Za-z_]\w*\s*\])*\s*$`)

func isPath(code string) bool { return path.MatchString(code) }

// onSetExpression assigns to what an expression names.
func (c *conn) onSetExpression(r *dap.SetExpressionRequest) (dap.ResponseMessage, error) {
	level, err := c.level(r.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	expression := strings.TrimSpace(r.Arguments.Expression)
	if err := parses("function() " + expression + " = nil end"); err != nil {
		return nil, fmt.Errorf("%s can't be assigned to", expression)
	}
	if err := parses(r.Arguments.Value); err != nil {
		return nil, err
	}
	var values []engine.LuaValue
	err = c.change(func(s *engine.Stack) error {
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
	err = c.at(func(*engine.Stack) error {
		told := c.describeValues(expression, level, values, "")
		response.Body = dap.SetExpressionResponseBody{Value: told.Result, Type: told.Type, VariablesReference: told.VariablesReference,
			NamedVariables: told.NamedVariables, IndexedVariables: told.IndexedVariables}
		return nil
	})
	return response, err
}
