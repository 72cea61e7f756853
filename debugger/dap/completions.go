package dap

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/engine"
)

// keywords are Lua's.
const keywords = "and break do else elseif end false for function if in local nil not or repeat return then true until while"

func isKeyword(s string) bool { return slices.Contains(strings.Fields(keywords), s) }

var (
	// typedCommand is a Redis command of which the name is being typed, at the prompt or in redis.call.
	typedCommand = regexp.MustCompile(`(?:^\s*redis\s+|redis\.p?call\s*\(\s*["'])([A-Za-z]*)$`)
	// typedName is a name that is being typed, and what it is a field of.
	typedName = regexp.MustCompile(`((?:[A-Za-z_]\w*(?:\[[^\[\]]*\])*[.:])*)([A-Za-z_]\w*)?$`)
)

// onCompletions tells what may stand where the client is typing.
func (c *conn) onCompletions(r *dap.CompletionsRequest) (dap.ResponseMessage, error) {
	text := r.Arguments.Text
	lines := strings.Split(text, "\n")
	if r.Arguments.Line > 0 {
		if n := c.fromLine(r.Arguments.Line) - 1; n >= 0 && n < len(lines) {
			text = lines[n]
		}
	}
	column := r.Arguments.Column
	if c.client.ColumnsStartAt1 {
		column--
	}
	units := utf16.Encode([]rune(text))
	before := string(utf16.Decode(units[:min(max(column, 0), len(units))]))
	typed, items, err := c.complete(before, r.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	response := &dap.CompletionsResponse{}
	response.Body.Targets = []dap.CompletionItem{}
	for _, item := range items {
		if len(item.Label) >= len(typed) && strings.EqualFold(item.Label[:len(typed)], typed) {
			item.Start = len(utf16.Encode([]rune(before))) - len(typed) + c.column()
			item.Length = len(typed)
			response.Body.Targets = append(response.Body.Targets, item)
		}
	}
	return response, nil
}

// complete finds what has been typed of the last word, and the words that could stand there.
func (c *conn) complete(before string, frame int) (typed string, items []dap.CompletionItem, err error) {
	if m := typedCommand.FindStringSubmatch(before); m != nil {
		for _, name := range c.commands().Names() {
			if !strings.Contains(name, " ") {
				doc, _ := c.commands().Describe(name)
				items = append(items, dap.CompletionItem{Label: strings.ToUpper(name), Type: "function", Detail: doc.Arguments})
			}
		}
		return m[1], items, nil
	}
	m := typedName.FindStringSubmatch(before)
	if c.run == nil || c.run.stop == nil {
		return m[2], words(), nil
	}
	level, err := c.level(frame)
	if err != nil {
		return "", nil, err
	}
	err = c.at(func(s *engine.Stack) error {
		if m[1] != "" {
			items = fields(s, level, m[1])
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

// words are the keywords.
func words() (items []dap.CompletionItem) {
	for _, w := range strings.Fields(keywords) {
		items = append(items, dap.CompletionItem{Label: w, Type: "keyword"})
	}
	return items
}

// fields are those of the table that of names, with a dot or colon behind it; behind a colon the functions.
func fields(s *engine.Stack, level int, of string) (items []dap.CompletionItem) {
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
		if f.Key.Kind() == engine.LuaString && isName(f.Key.Text()) && (!method || f.Value.Kind() == engine.LuaFunction) {
			items = append(items, item(f.Key.Text(), f.Value))
		}
	}
	sortItems(items)
	return items
}

// names are those that a function sees: what is nearest comes first, and hides what is behind it.
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
				if isName(variables[i].Name) {
					group = append(group, item(variables[i].Name, variables[i].Value))
				}
			}
			add(group)
		}
	}
	var group []dap.CompletionItem
	for _, f := range s.Globals().Fields() {
		if f.Key.Kind() == engine.LuaString && isName(f.Key.Text()) {
			group = append(group, item(f.Key.Text(), f.Value))
		}
	}
	add(group)
	return items
}

func sortItems(items []dap.CompletionItem) {
	slices.SortStableFunc(items, func(a, b dap.CompletionItem) int { return cmp.Compare(a.Label, b.Label) })
}

// item is a name and what it stands for.
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
