package difftest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// item is a step of a random sequence: commands that go through one door.
type item struct {
	door  wrapping
	steps []Step     // with wrapExec a transaction, otherwise one command
	rows  []*row     // of the steps
	db    int        // the database that is selected for it
	after [][]string // makes both sides equal again after random effects
}

// before is sent first: a command that resets C's errno in the oracle. After a number out of range,
// SORT would otherwise refuse valid numbers.
func (it *item) before() [][]string {
	if slices.ContainsFunc(it.rows, func(r *row) bool { return strings.HasPrefix(r.name, "sort") }) {
		return [][]string{{"INCRBYFLOAT", "sorted", "x"}}
	}
	return nil
}

// first is the index in wire of the first command of the item itself.
func (it *item) first() int {
	n := len(it.before())
	if it.db != 0 {
		n++
	}
	return n
}

// wire returns the commands to send.
func (it *item) wire(dst [][]string, proto int) [][]string {
	if it.db != 0 {
		dst = append(dst, []string{"SELECT", strconv.Itoa(it.db)})
	}
	dst = append(dst, it.before()...)
	switch it.door {
	case wrapExec:
		dst = append(dst, []string{"MULTI"})
		for i := range it.steps {
			dst = append(dst, it.steps[i].Args)
		}
		dst = append(dst, []string{"EXEC"})
	default:
		dst = append(dst, it.door.commands(it.steps[0].Args, proto)...)
	}
	dst = append(dst, it.after...)
	if it.db != 0 {
		dst = append(dst, []string{"SELECT", "0"})
	}
	return dst
}

// frames is the number of commands in wire.
func (it *item) frames() int {
	n := it.first() + len(it.steps) + len(it.after)
	if it.door == wrapExec {
		n += 2
	}
	if it.db != 0 {
		n++
	}
	return n
}

// differs compares the replies to wire and returns what differs, or "".
func (it *item) differs(want, got [][]byte) string {
	first := it.first()
	for i := range want {
		if bytes.Equal(want[i], got[i]) {
			continue
		}
		at := i - first
		switch {
		case it.door != wrapExec && at == 0:
			relax := it.door.relax(it.steps[0].Relax)
			if !relax.Equal(want[i], got[i]) {
				return fault(&it.steps[0], want[i], got[i])
			}
		case it.door == wrapExec && at == len(it.steps)+1:
			if text := it.execDiffers(want[i], got[i]); text != "" {
				return text
			}
		case it.door == wrapExec && at > 0 && at <= len(it.steps):
			return fault(&it.steps[at-1], want[i], got[i])
		case len(it.after) > 0 && i >= len(want)-len(it.after)-first:
			if want[i][0] != got[i][0] { // DEL counts the random remainder
				return fmt.Sprintf("%q\n\toracle  %.500q\n\tredmoon %.500q", it.after[0], want[i], got[i])
			}
		default:
			return fmt.Sprintf("%s\n\toracle  %.500q\n\tredmoon %.500q", it.text(), want[i], got[i])
		}
	}
	return ""
}

func (it *item) execDiffers(want, got []byte) string {
	w, ok := elements(want)
	g, ok2 := elements(got)
	if !ok || !ok2 || len(w) != len(g) || len(w) != len(it.steps) {
		return fmt.Sprintf("EXEC of %s\n\toracle  %.500q\n\tredmoon %.500q", it.text(), want, got)
	}
	for i := range w {
		if !it.steps[i].Relax.Equal(w[i], g[i]) {
			return fault(&it.steps[i], w[i], g[i])
		}
	}
	return ""
}

func fault(s *Step, want, got []byte) string {
	return fmt.Sprintf("%s\n\toracle  %s\n\tredmoon %s", s.text(), clip(fmt.Sprintf("%q", want), 2000), clip(fmt.Sprintf("%q", got), 2000))
}

// accepted calls f for each step with whether the oracle answered it without an error.
func (it *item) accepted(want [][]byte, f func(i int, ok bool)) {
	want = want[it.first():]
	if it.door != wrapExec {
		f(0, want[0][0] != '-')
		return
	}
	list, _ := elements(want[len(it.steps)+1])
	for i := range it.steps {
		f(i, i < len(list) && list[i][0] != '-')
	}
}

func (it *item) text() string {
	texts := make([]string, len(it.steps))
	for i := range it.steps {
		texts[i] = it.steps[i].text()
	}
	return strings.Join(texts, "; ")
}

// safe reports whether the item cannot block the connection.
func (it *item) safe() bool {
	if it.door != wrapNone {
		return true
	}
	return !it.rows[0].waits && !slices.ContainsFunc(it.steps[0].Args, func(a string) bool { return strings.EqualFold(a, "BLOCK") })
}

// item makes the next item of a sequence.
func (g *generator) item(line int) *item {
	if g.style.dead && g.rng.IntN(8) == 0 {
		return g.expiry(line)
	}
	if g.style.effects && (len(g.draws.next) > 0 || g.rng.IntN(4) == 0) {
		return g.effectItem(line)
	}
	it := &item{door: wrapNone}
	n := 1
	switch x := g.rng.IntN(20); {
	case x < 5:
		it.door = pick(g.rng, []wrapping{wrapCall, wrapCall, wrapCall, wrapPcall, wrapCallRO})
	case x < 9:
		it.door = wrapExec
		n = 1 + g.rng.IntN(4)
	}
	if g.rng.IntN(50) == 0 {
		it.db = 1
	}
	for range n {
		step := g.step(line)
		// Commands that follow in the same transaction would see random effects, and SORT depends on the
		// command before it; see item.before.
		alone := byChance(g.row.name, step.Args) || !g.row.visible || strings.HasPrefix(g.row.name, "sort")
		if alone && len(it.steps) > 0 {
			continue
		}
		it.steps, it.rows = append(it.steps, step), append(it.rows, g.row)
		g.cover.draw(g.row.name)
		g.cover.by(g.row.name, string(it.door))
		if alone {
			break
		}
	}
	switch {
	case !it.rows[0].visible:
		it.door = wrapCall // scripts know it
	case !it.safe():
		it.door = wrapExec
	}
	it.relax()
	if it.rows[0].name == "pexpire" && it.door == wrapNone && len(it.steps[0].Args) > 2 && g.rng.IntN(10) == 0 {
		it.steps[0].Args[2], g.late = "1", true
		it.after = append(it.after, []string{"DEBUG", "SLEEP", "0.003"})
	}
	for i := range it.steps {
		args := it.steps[i].Args
		if byChance(it.rows[i].name, args) && len(args) > 1 {
			it.after = append(it.after, []string{"DEL", args[1]})
		}
	}
	return it
}

// relax relaxes what depends on the door: a transaction keeps references to its arguments, which
// OBJECT REFCOUNT shows.
func (it *item) relax() {
	for i := range it.steps {
		if it.rows[i].name == "object|refcount" && it.door == wrapExec {
			it.steps[i].Relax.Kind = true
		}
		if it.door != wrapNone && it.door != wrapExec && it.steps[i].Relax.Unordered && strings.HasPrefix(it.rows[i].name, "sort") {
			it.steps[i].Relax.Kind = true // the reply of a script ends at the first nil
		}
	}
}

// byChance reports whether a command has random effects on the keyspace.
func byChance(name string, args []string) bool {
	return name == "spop" || name == "xadd" && slices.Contains(args, "*")
}
