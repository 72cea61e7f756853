package repl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (d *dialogue) watchFor(expression string) error {
	if expression == "" {
		if len(d.watches) == 0 {
			d.say("nothing is watched; :watch EXPRESSION watches")
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
		return fmt.Errorf("%q is no expression of Lua", expression)
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
		return fmt.Errorf("which? %s, or all", ":watch lists them by number")
	}
	d.watches = slices.Delete(d.watches, n-1, n)
	return nil
}

// showWatches shows the values of the watched expressions.
func (d *dialogue) showWatches() {
	for i, w := range d.watches {
		var texts []string
		var err error
		d.onInterrupt(d.stop.target.Interrupt, func() { texts, err = d.stop.target.look(d.stop.frame, "return "+w) })
		value := strings.Join(texts, ", ")
		if err != nil {
			value = d.paint.bad(err.Error())
		}
		d.sayf("%s %s = %s", d.paint.dim(strconv.Itoa(i+1)), d.paint.name(w), value)
	}
}
