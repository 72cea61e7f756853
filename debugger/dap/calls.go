package dap

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// listCalls lists the redis.calls so far, with their replies.
func (vs *variables) listCalls(calls []debugger.Call) lister {
	return func(*engine.Stack) (all []entry, err error) {
		for i, call := range calls {
			all = append(all, func() variable {
				name := fmt.Sprintf("%d, line %d", i+1, vs.client.line(call.Line))
				described := dap.Variable{Name: name, Value: commandLine(call.Args), Type: vs.client.typeName("call")}
				if call.Done {
					described.Value += " → " + truncate(short(call.Reply))
					described.VariablesReference, described.NamedVariables = vs.openReply(call.Reply)
				}
				return variable{Variable: described}
			})
		}
		return all, nil
	}
}

// truncate cuts a text to valueLimit bytes.
func truncate(text string) string {
	if len(text) <= valueLimit {
		return text
	}
	end := valueLimit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// commandLine formats a command as it is typed in redis-cli, cut to about valueLimit bytes.
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

// openReply makes a container of the elements of a reply. ref is 0 for a reply without elements.
func (vs *variables) openReply(v engine.Value) (ref, named int) {
	list, width := v.Slice(), 1
	if v.Kind() == engine.KindMap {
		width = 2
	}
	if len(list) == 0 {
		return 0, 0
	}
	element := func(i int) variable {
		described := dap.Variable{Name: strconv.Itoa(i/width + 1)}
		if width == 2 {
			described.Name = short(list[i])
		}
		element := list[i+width-1]
		described.Value, described.Type = truncate(short(element)), vs.client.typeName(element.Kind().String())
		described.VariablesReference, described.NamedVariables = vs.openReply(element)
		return variable{Variable: described}
	}
	return vs.open(container{level: -1, list: func(*engine.Stack) (all []entry, err error) {
		for i := 0; i+width <= len(list); i += width {
			all = append(all, func() variable { return element(i) })
		}
		return all, nil
	}}), len(list) / width
}

// listTouched lists the changes of keys so far.
func listTouched(touched []engine.TouchedKey) lister {
	return func(*engine.Stack) (all []entry, err error) {
		for i, t := range touched {
			value := t.Event
			if t.DB != 0 {
				value += fmt.Sprintf(" in database %d", t.DB)
			}
			all = append(all, func() variable {
				return variable{Variable: dap.Variable{Name: fmt.Sprintf("%d %s", i+1, t.Key), Value: value}, key: t.Key}
			})
		}
		return all, nil
	}
}
