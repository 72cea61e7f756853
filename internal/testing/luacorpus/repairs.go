package luacorpus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Repaired is what CheckRepairs has looked at.
type Repaired struct {
	Scripts  int      // in which the linter offers a repair
	Together int      // repairs that an option makes
	OneByOne int      // repairs that only a person may choose
	Ran      int      // texts that were run before and after
	Wrong    []string // repairs that lose a definition, or change what a script does and must not
}

// CheckRepairs makes the repairs of scripts: those of --fix and of --unsafe-fixes together, the
// others one by one. No option may remove a declaration. A safe repair, in a script that is whole,
// must leave what the script does: it runs before and after with the same arguments.
func CheckRepairs(scripts []Script) (*Repaired, error) {
	r := &Repaired{}
	for _, s := range scripts {
		found, err := s.Lint()
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Fix == nil })
		if len(found) == 0 {
			continue
		}
		r.Scripts++
		if err := r.script(s, found); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Repaired) script(s Script, found []lint.Finding) error {
	wrong := func(format string, args ...any) {
		r.Wrong = append(r.Wrong, fmt.Sprintf("%s %s:%d: ", s.Package, s.File, s.Line)+fmt.Sprintf(format, args...))
	}
	var safe, together []lint.Finding
	for _, f := range found {
		switch {
		case f.Fix.OneByOne:
			r.OneByOne++
			if text, _ := lint.Apply(s.Source, []lint.Finding{f}); f.Fix.Safe && !s.Part {
				same, err := r.runs(s, text)
				if err != nil {
					return err
				}
				if !same {
					wrong("%q changes what the script does", f.Fix.Title)
				}
			}
			continue
		case f.Fix.Safe:
			safe = append(safe, f)
		}
		together = append(together, f)
	}
	r.Together += len(together)
	text, _ := lint.Apply(s.Source, together)
	if before, after := declared(s.Source), declared(text); !slices.Equal(before, after) {
		wrong("declared before: %v, and after: %v", before, after)
	}
	text, n := lint.Apply(s.Source, safe)
	if n == 0 {
		return nil
	}
	same, err := r.runs(s, text)
	if err == nil && !same {
		wrong("the repairs of --fix change what the script does")
	}
	return err
}

// declared returns the names of all locals and functions of a text.
func declared(text string) (names []string) {
	tree, err := luatree.Parse(text)
	if err != nil {
		return []string{err.Error()}
	}
	for _, l := range tree.Locals {
		names = append(names, l.Name)
	}
	luatree.Walk(tree.Main.Body, func(n luatree.Node) bool {
		if f, ok := n.(*luatree.FunctionStmt); ok {
			names = append(names, tree.Text(f.Target.Span()))
		}
		return true
	})
	return names
}

var errorLine = regexp.MustCompile(`user_script:\d+|script: [0-9a-f]{40}`)

// runs reports whether a text does what the script does, with some keys and arguments.
func (r *Repaired) runs(s Script, text string) (same bool, err error) {
	r.Ran++
	for _, args := range [][]string{nil, {"3", "text"}, {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}} {
		keys := []string{"k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"}[:min(8, len(args))]
		before, err := outcome(s.Before+s.Source, keys, args)
		if err != nil {
			return false, err
		}
		after, err := outcome(s.Before+text, keys, args)
		if err != nil || before != after {
			return false, err
		}
	}
	return true, nil
}

// outcome runs a script on an empty engine. It returns the reply, or the error without numbers of
// lines, and a digest of the keys.
func outcome(source string, keys, args []string) (string, error) {
	clock := engine.NewVirtualClock(time.Unix(1_700_000_000, 0))
	e, err := engine.New(engine.Options{Clock: clock, Rand: rand.NewPCG(1, 1), ScriptSteps: 2e6, ScriptMemory: 64 << 20})
	if err != nil {
		return "", err
	}
	defer e.Close()
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	v, err := e.Eval(context.Background(), source, keys, list...)
	reply := v.GoString()
	if err != nil {
		reply = err.Error()
	}
	digest, err := e.DoStrings(context.Background(), "DEBUG", "DIGEST")
	return strings.Join([]string{errorLine.ReplaceAllString(reply, ""), digest.Text()}, " "), err
}
