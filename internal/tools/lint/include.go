package lint

import (
	"path"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Includes returns the names of the files that something puts into a script, as the builds of Bull
// and BullMQ do for comments such as --- @include "includes/batches".
func Includes(source string) []string {
	if !strings.Contains(source, "@include") || len(source) > MaxText {
		return nil
	}
	tree, err := luatree.Parse(source)
	if err != nil {
		return nil
	}
	return includes(tree)
}

func includes(tree *luatree.Tree) (names []string) {
	for _, c := range tree.Comments {
		text, ok := strings.CutPrefix(strings.TrimLeft(tree.Text(c.Range), "- "), "@include")
		if !ok {
			continue
		}
		line, _, _ := strings.Cut(text, "\n")
		names = append(names, strings.Trim(line, " \t\r\"'"))
	}
	return names
}

// IsIncluded reports whether a name that Includes returned means a file. The name may lack the end
// .lua, begin with ./, ../ or <a folder that the build knows>, and be a pattern of path.Match.
func IsIncluded(name, file string) bool {
	name = strings.TrimSuffix(name, ".lua")
	var wanted []string
	for part := range strings.SplitSeq(name, "/") {
		if part != "" && part != "." && part != ".." && !strings.HasPrefix(part, "<") {
			wanted = append(wanted, part)
		}
	}
	have := strings.Split(strings.TrimSuffix(file, ".lua"), "/")
	if len(wanted) == 0 || len(wanted) > len(have) {
		return false
	}
	for i, part := range have[len(have)-len(wanted):] {
		if ok, err := path.Match(wanted[i], part); !ok && (err == nil || wanted[i] != part) {
			return false
		}
	}
	return true
}

// onlyDeclares reports whether a script only declares, so that only other texts can use it.
func (p *pass) onlyDeclares() bool {
	if p.library {
		return false
	}
	for _, s := range p.tree.Main.Body.Stmts {
		if s.Span().From < p.base {
			continue
		}
		switch s := s.(type) {
		case *luatree.LocalFunction, *luatree.FunctionStmt:
		case *luatree.LocalStmt:
			for _, value := range s.Values {
				if !p.pure(value) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}
