package repl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (in *inspector) addWatch(expression string) error {
	if expression == "" {
		if len(in.watches) == 0 {
			in.say("no watch expressions; :watch EXPRESSION adds one")
			return nil
		}
		if in.scripts.current == nil {
			for i, w := range in.watches {
				in.sayf("%d  %s", i+1, w)
			}
			return nil
		}
		in.showWatches()
		return nil
	}
	if err := in.syntax.check("return " + expression); err != nil {
		return fmt.Errorf("%q is not a Lua expression", expression)
	}
	if !slices.Contains(in.watches, expression) {
		in.watches = append(in.watches, expression)
	}
	if in.scripts.current != nil {
		in.showWatches()
	}
	return nil
}

func (in *inspector) unwatch(rest string) error {
	if rest == "all" {
		in.watches = nil
		return nil
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 || n > len(in.watches) {
		return errors.New("a number or all is needed; :watch lists the numbers")
	}
	in.watches = slices.Delete(in.watches, n-1, n)
	return nil
}

// showWatches prints the watch expressions and their values.
func (in *inspector) showWatches() {
	for i, w := range in.watches {
		var texts []string
		var err error
		now := in.scripts.current
		in.onInterrupt(now.target.Interrupt, func() { texts, err = now.target.EvalQuietly(now.frame, "return "+w) })
		value := strings.Join(texts, ", ")
		if err != nil {
			value = in.palette.bad(err.Error())
		}
		in.sayf("%s %s = %s", in.palette.dim(strconv.Itoa(i+1)), in.palette.name(w), value)
	}
}
