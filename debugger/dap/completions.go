package dap

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger/internal/luaname"
	"github.com/redmoon-lua/redmoon/engine"
)

var (
	// typedCommand matches the beginning of a Redis command, at the prompt or in redis.call.
	typedCommand = regexp.MustCompile(`(?:^\s*redis\s+|redis\.p?call\s*\(\s*["'])([A-Za-z]*)$`)
	// typedName matches the beginning of a name, and the table of which it is a field.
	typedName = regexp.MustCompile(`((?:[A-Za-z_]\w*(?:\[[^\[\]]*\])*[.:])*)([A-Za-z_]\w*)?$`)
)

// onCompletions returns the completions of the text that the client is typing.
func (in *inspector) onCompletions(r *dap.CompletionsRequest) (dap.ResponseMessage, error) {
	text := r.Arguments.Text
	lines := strings.Split(text, "\n")
	if r.Arguments.Line > 0 {
		if n := in.client.fromLine(r.Arguments.Line) - 1; n >= 0 && n < len(lines) {
			text = lines[n]
		}
	}
	column := r.Arguments.Column
	if in.client.ColumnsStartAt1 {
		column--
	}
	units := utf16.Encode([]rune(text))
	before := string(utf16.Decode(units[:min(max(column, 0), len(units))]))
	typed, items, err := in.complete(before, r.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	response := &dap.CompletionsResponse{}
	response.Body.Targets = []dap.CompletionItem{}
	for _, item := range items {
		if len(item.Label) >= len(typed) && strings.EqualFold(item.Label[:len(typed)], typed) {
			item.Start = len(utf16.Encode([]rune(before))) - len(typed) + in.client.column()
			item.Length = len(typed)
			response.Body.Targets = append(response.Body.Targets, item)
		}
	}
	return response, nil
}

// complete returns the beginning of the last word, and the words that it may become.
func (in *inspector) complete(before string, frame int) (typed string, items []dap.CompletionItem, err error) {
	if m := typedCommand.FindStringSubmatch(before); m != nil {
		for _, name := range in.run.commands().Names() {
			if !strings.Contains(name, " ") {
				doc, _ := in.run.commands().Describe(name)
				items = append(items, dap.CompletionItem{Label: strings.ToUpper(name), Type: "function", Detail: doc.Arguments})
			}
		}
		return m[1], items, nil
	}
	m := typedName.FindStringSubmatch(before)
	if !in.run.isStopped() {
		return m[2], words(), nil
	}
	level, err := in.level(frame)
	if err != nil {
		return "", nil, err
	}
	err = in.at(func(s *engine.Stack) error {
		if m[1] != "" {
			items = tableFields(s, level, m[1])
			return nil
		}
		items = names(s, level)
		return nil
	})
	if m[1] == "" {
		items = append(items, words()...)
	}
	return m[2], items, err
}

// words returns the keywords of Lua.
func words() (items []dap.CompletionItem) {
	for _, w := range luaname.Keywords() {
		items = append(items, dap.CompletionItem{Label: w, Type: "keyword"})
	}
	return items
}

// tableFields returns the fields of a table. of is the name of the table with a dot or a colon at
// its end. After a colon only functions are returned.
func tableFields(s *engine.Stack, level int, of string) (items []dap.CompletionItem) {
	table, method := of[:len(of)-1], of[len(of)-1] == ':'
	if !isPath(strings.ReplaceAll(table, ":", ".")) {
		return nil
	}
	values, err := s.Eval(level, "@complete", table)
	if err != nil || len(values) != 1 {
		return nil
	}
	if values[0].Kind() == engine.LuaString {
		if values, err = s.Eval(-1, "@complete", "string"); err != nil || len(values) != 1 {
			return nil
		}
	}
	if values[0].Kind() != engine.LuaTable {
		return nil
	}
	for _, f := range values[0].Fields() {
		if f.Key.Kind() == engine.LuaString && luaname.Is(f.Key.Text()) && (!method || f.Value.Kind() == engine.LuaFunction) {
			items = append(items, item(f.Key.Text(), f.Value))
		}
	}
	sortItems(items)
	return items
}

// names returns the names that are visible in a function. Inner names come first and hide outer
// ones.
func names(s *engine.Stack, level int) (items []dap.CompletionItem) {
	seen := map[string]bool{}
	add := func(group []dap.CompletionItem) {
		sortItems(group)
		for _, i := range group {
			if !seen[i.Label] {
				seen[i.Label] = true
				items = append(items, i)
			}
		}
	}
	if frames := s.Frames(); level >= 0 && level < len(frames) {
		for _, of := range []func(*engine.Frame) []engine.Variable{(*engine.Frame).Locals, (*engine.Frame).Upvalues} {
			var group []dap.CompletionItem
			variables := of(&frames[level])
			for i := len(variables) - 1; i >= 0; i-- {
				if luaname.Is(variables[i].Name) {
					group = append(group, item(variables[i].Name, variables[i].Value))
				}
			}
			add(group)
		}
	}
	var group []dap.CompletionItem
	for _, f := range s.Globals().Fields() {
		if f.Key.Kind() == engine.LuaString && luaname.Is(f.Key.Text()) {
			group = append(group, item(f.Key.Text(), f.Value))
		}
	}
	add(group)
	return items
}

func sortItems(items []dap.CompletionItem) {
	slices.SortStableFunc(items, func(a, b dap.CompletionItem) int { return cmp.Compare(a.Label, b.Label) })
}

// item returns the completion for a variable.
func item(name string, v engine.LuaValue) dap.CompletionItem {
	kind := dap.CompletionItemType("variable")
	switch v.Kind() {
	case engine.LuaFunction:
		kind = "function"
	case engine.LuaTable:
		kind = "module"
	}
	return dap.CompletionItem{Label: name, Type: kind, Detail: v.Kind().String()}
}
