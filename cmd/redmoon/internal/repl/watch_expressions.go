package repl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (d *dialogue) addWatch(expression string) error {
	if expression == "" {
		if len(d.watches) == 0 {
			d.say("no watch expressions; :watch EXPRESSION adds one")
			return nil
		}
		if d.stop == nil {
			for i, w := range d.watches {
				d.sayf("%d  %s", i+1, w)
			}
			return nil
		}
		d.showWatches()
		return nil
	}
	if err := d.syntax.check("return " + expression); err != nil {
		return fmt.Errorf("%q is not a Lua expression", expression)
	}
	if !slices.Contains(d.watches, expression) {
		d.watches = append(d.watches, expression)
	}
	if d.stop != nil {
		d.showWatches()
	}
	return nil
}

func (d *dialogue) unwatch(rest string) error {
	if rest == "all" {
		d.watches = nil
		return nil
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 || n > len(d.watches) {
		return errors.New("a number or all is needed; :watch lists the numbers")
	}
	d.watches = slices.Delete(d.watches, n-1, n)
	return nil
}

// showWatches prints the watch expressions and their values.
func (d *dialogue) showWatches() {
	for i, w := range d.watches {
		var texts []string
		var err error
		d.onInterrupt(d.stop.target.Interrupt, func() { texts, err = d.stop.target.EvalQuietly(d.stop.frame, "return "+w) })
		value := strings.Join(texts, ", ")
		if err != nil {
			value = d.palette.bad(err.Error())
		}
		d.sayf("%s %s = %s", d.palette.dim(strconv.Itoa(i+1)), d.palette.name(w), value)
	}
}
