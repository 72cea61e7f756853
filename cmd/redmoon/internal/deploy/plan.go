package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
)

// change is what a deployment does with one text, or finds of it.
type change string

const (
	isNew   change = "new"     // the node lacks it
	differs change = "changed" // the node has a library of this name with another text
	isSame  change = "same"
	isOther change = "other"  // a library of the node that no file has
	pruned  change = "delete" // isOther, and the user wants it deleted
)

// item is one line of a plan.
type item struct {
	change   change
	path     string // "": no file has it
	library  string // its name; "": a script
	sha1     string // of a script
	old, new string // texts of a library
	note     string // what the lock file says about it
}

// plan is what a deployment does with one node.
type plan struct {
	node  *node
	items []item
}

// makePlan compares the sources with what a node has. keep are libraries of the node that are not
// reported, prune those that are to be deleted.
func makePlan(n *node, s *Sources, st *state, o *Options, lock *Lock) *plan {
	p := &plan{node: n}
	for _, script := range s.Scripts {
		i := item{change: isNew, path: script.Path, sha1: script.SHA1}
		if st.scripts[script.SHA1] {
			i.change = isSame
		}
		p.items = append(p.items, i)
	}
	for _, l := range s.Libraries {
		i := item{change: isNew, path: l.Path, library: l.Name, new: l.Text}
		if has, ok := st.libraries[l.Name]; ok {
			i.old, i.change = has.text, isSame
			if has.text != l.Text {
				i.change, i.note = differs, lock.note(l.Name, has.text)
			}
		}
		p.items = append(p.items, i)
	}
	for _, name := range slices.Sorted(maps.Keys(st.libraries)) {
		if s.library(name) != nil {
			continue
		}
		text := st.libraries[name].text
		i := item{change: isOther, library: name, old: text, note: lock.note(name, text)}
		if slices.Contains(o.Prune, name) {
			i.change = pruned
		} else if slices.Contains(o.Except, name) {
			continue
		}
		p.items = append(p.items, i)
	}
	return p
}

// differences returns the number of items that are not the same on the node and in the files.
func (p *plan) differences() (n int) {
	for _, i := range p.items {
		if i.change != isSame {
			n++
		}
	}
	return n
}

// changes returns the items of libraries that a deployment changes.
func (p *plan) changes() (list []item) {
	for _, i := range p.items {
		if i.library != "" && i.change != isSame && i.change != isOther {
			list = append(list, i)
		}
	}
	return list
}

// text returns the plan for people, without the name of the node.
func (p *plan) text() string {
	var b strings.Builder
	for _, i := range p.items {
		what := "script " + i.sha1
		if i.library != "" {
			what = "library " + i.library
		}
		fmt.Fprintf(&b, "  %-7s  %s", i.change, what)
		switch {
		case i.path != "":
			fmt.Fprintf(&b, "  %s", i.path)
		case i.change == isOther:
			b.WriteString("  (no file has it)")
		}
		if i.note != "" {
			fmt.Fprintf(&b, "  (%s)", i.note)
		}
		b.WriteByte('\n')
		if i.change == differs {
			b.WriteString(textdiff.Unified("library "+i.library+" on the server", i.path, withBreak(i.old), withBreak(i.new)))
		}
	}
	return harmless(b.String())
}

// withBreak returns a text that ends with a line break.
func withBreak(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// printPlans returns plans for people. Nodes with the same plan share one.
func printPlans(plans []*plan) string {
	var b strings.Builder
	done := map[string]bool{}
	for i, p := range plans {
		text := p.text()
		if done[text] {
			continue
		}
		done[text] = true
		for k, other := range plans[i:] {
			if k > 0 && other.text() != text {
				continue
			}
			if k > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s (%s)", other.node.name, harmless(other.node.release))
		}
		b.WriteString(":\n" + text)
	}
	return b.String()
}

// order sorts the changes of a node so that each can be made: a library that gives a function away
// is loaded before the one that takes it. The error says which function has another library of the
// node, or that two libraries exchange functions.
func order(p *plan, s *Sources, st *state) ([]item, error) {
	changes := p.changes()
	owner := map[string]string{} // library by function, whose names ignore case
	for name, l := range st.libraries {
		for _, f := range l.functions {
			owner[strings.ToLower(f)] = name
		}
	}
	loads := map[string]item{}
	var sorted []item
	for _, i := range changes {
		if i.change == pruned {
			sorted = append(sorted, i)
			for _, f := range st.libraries[i.library].functions {
				delete(owner, strings.ToLower(f))
			}
		} else {
			loads[i.library] = i
		}
	}
	var chain []string
	placed := map[string]bool{}
	var place func(name string) error
	place = func(name string) error {
		if placed[name] {
			return nil
		}
		if slices.Contains(chain, name) {
			return fmt.Errorf("%s: the libraries %s exchange functions, which no server can do one after the other: "+
				"deploy one of them without these functions first", p.node.name, strings.Join(chain, ", "))
		}
		chain = append(chain, name)
		for _, f := range s.library(name).Functions {
			other := owner[strings.ToLower(f)]
			if other == "" || other == name {
				continue
			}
			if _, changes := loads[other]; !changes {
				return fmt.Errorf("%s: the function %s of the library %s (%s) is one of the library %s there already, which no file has; "+
					"--prune %s deletes that", p.node.name, f, name, s.library(name).Path, harmless(other), harmless(other))
			}
			if err := place(other); err != nil {
				return err
			}
		}
		chain = chain[:len(chain)-1]
		placed[name] = true
		sorted = append(sorted, loads[name])
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(loads)) {
		if err := place(name); err != nil {
			return nil, err
		}
	}
	return sorted, nil
}
