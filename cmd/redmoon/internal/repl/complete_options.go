package repl

import (
	"context"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// optionWords returns the words in capitals that may follow the typed words of a Redis command,
// such as NX and EX after SET k v. They are in the case of the last word.
func optionWords(cmds engine.Commands, words []string) []string {
	last := words[len(words)-1]
	lower := last != "" && last == strings.ToLower(last) || last == "" && words[0] == strings.ToLower(words[0])
	var found []string
	for _, word := range nextWords(cmds.Hint(words[:len(words)-1]...)) {
		if !strings.HasPrefix(word, strings.ToUpper(last)) {
			continue
		}
		if lower {
			word = strings.ToLower(word)
		}
		found = append(found, word)
	}
	return found
}

// nextWords returns the words in capitals at which a hint may go on: the first words of its leading
// [optional parts], and of the first part that is not optional.
func nextWords(hint string) (found []string) {
	for hint = strings.TrimSpace(hint); hint != ""; hint = strings.TrimSpace(hint) {
		part, rest := cutPart(hint)
		inner, optional := strings.CutPrefix(part, "[")
		inner = strings.TrimSuffix(inner, "]")
		inner = strings.TrimSuffix(strings.TrimPrefix(inner, "<"), ">") // a choice that is required
		values := false                                                 // choices are values of the word before: OVERFLOW WRAP|SAT|FAIL
		for _, choice := range choices(inner) {
			if strings.HasPrefix(choice, "[") || strings.HasPrefix(choice, "<") {
				found = append(found, nextWords(choice)...)
				continue
			}
			word, value, _ := strings.Cut(choice, " ")
			if inCapitals(word) && !(values && value == "") {
				found = append(found, word)
			}
			values = values && value == "" || inCapitals(value)
		}
		if !optional {
			return found
		}
		hint = rest
	}
	return found
}

func inCapitals(word string) bool {
	return word == strings.ToUpper(word) && word != strings.ToLower(word)
}

// cutPart cuts the first part off a hint: a text in brackets, or a word.
func cutPart(hint string) (part, rest string) {
	depth := 0
	for i, r := range hint {
		switch {
		case r == '[' || r == '<':
			depth++
		case r == ']' || r == '>':
			depth--
		case r == ' ' && depth == 0:
			return hint[:i], hint[i:]
		}
	}
	return hint, ""
}

// choices splits a part at the bars that are in no brackets.
func choices(part string) []string {
	var all []string
	depth, from := 0, 0
	for i, r := range part {
		switch {
		case r == '[' || r == '<':
			depth++
		case r == ']' || r == '>':
			depth--
		case r == '|' && depth == 0:
			all, from = append(all, part[from:i]), i+1
		}
	}
	return append(all, part[from:])
}

// takesParameter reports whether the last word is the name of a parameter of CONFIG GET or SET.
func takesParameter(words []string) bool {
	if len(words) < 3 || !strings.EqualFold(words[0], "config") {
		return false
	}
	return strings.EqualFold(words[1], "get") || strings.EqualFold(words[1], "set") && len(words)%2 == 1
}

// parametersLike offers the parameters that begin with the typed text.
func (d *data) parametersLike(typed string) []candidate {
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	v, err := d.backend.Query(ctx, 0, "CONFIG", "GET", escapeGlob(strings.ToLower(typed))+"*")
	if err != nil || v.IsError() {
		return nil
	}
	var all []candidate
	for i, e := range v.Slice() {
		if i%2 == 0 && strings.HasPrefix(e.Text(), typed) {
			all = append(all, candidate{Value: e.Text()})
		}
	}
	return all
}
