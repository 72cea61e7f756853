package repl

import "strings"

// palette colours text if it is true.
type palette bool

func (p palette) style(code, text string) string {
	if !bool(p) || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) dim(text string) string    { return p.style("90", text) }
func (p palette) bold(text string) string   { return p.style("1", text) }
func (p palette) name(text string) string   { return p.style("36", text) }
func (p palette) bad(text string) string    { return p.style("31", text) }
func (p palette) good(text string) string   { return p.style("32", text) }
func (p palette) marked(text string) string { return p.style("33", text) }

// lines applies a style to each line of text separately.
func (p palette) lines(style func(string) string, text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = style(line)
	}
	return strings.Join(all, "\n")
}
