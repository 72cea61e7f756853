package dap

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// listCalls lists the redis.calls made so far, each with its reply.
func (c *conn) listCalls(calls []debugger.Call) func(*conn, *engine.Stack) ([]variable, error) {
	return func(c *conn, _ *engine.Stack) (all []variable, err error) {
		for i, call := range calls {
			v := dap.Variable{Name: fmt.Sprintf("%d, line %d", i+1, c.line(call.Line)), Value: commandLine(call.Args), Type: "call"}
			if call.Done {
				v.Value += " → " + short(call.Reply)
				v.VariablesReference, v.NamedVariables = c.openReply(call.Reply)
			}
			all = append(all, variable{Variable: v})
		}
		return all, nil
	}
}

// commandLine is a command as it would be typed in redis-cli, cut where it is long.
func commandLine(args []string) string {
	var b strings.Builder
	for i, arg := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.Len() > valueLimit {
			b.WriteString("…")
			break
		}
		if len(arg) > valueLimit {
			arg = arg[:valueLimit]
		}
		if quoted := strconv.Quote(arg); len(quoted) != len(arg)+2 || arg == "" || strings.ContainsAny(arg, " '") {
			arg = quoted
		}
		b.WriteString(arg)
	}
	return b.String()
}

// openReply makes the elements of a reply a container. One without elements is none.
func (c *conn) openReply(v engine.Value) (ref, named int) {
	list := v.Slice()
	if len(list) == 0 {
		return 0, 0
	}
	return c.open(container{level: -1, list: func(c *conn, _ *engine.Stack) (all []variable, err error) {
		for i := 0; i < len(list); i++ {
			name := strconv.Itoa(i + 1)
			if v.Kind() == engine.KindMap && i+1 < len(list) {
				name = short(list[i])
				i++
			}
			told := dap.Variable{Name: name, Value: short(list[i]), Type: list[i].Kind().String()}
			told.VariablesReference, told.NamedVariables = c.openReply(list[i])
			all = append(all, variable{Variable: told})
		}
		return all, nil
	}}), len(list)
}

// listTouched lists the changes of keys made so far.
func listTouched(touched []engine.TouchedKey) func(*conn, *engine.Stack) ([]variable, error) {
	return func(_ *conn, _ *engine.Stack) (all []variable, err error) {
		for i, t := range touched {
			value := t.Event
			if t.DB != 0 {
				value += fmt.Sprintf(" in database %d", t.DB)
			}
			all = append(all, variable{Variable: dap.Variable{Name: fmt.Sprintf("%d %s", i+1, t.Key), Value: value, Type: "change"}, key: t.Key})
		}
		return all, nil
	}
}
