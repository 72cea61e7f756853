package difftest

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// coverage counts what was drawn, by command.
type coverage map[string]*drawn

type drawn struct {
	times    int // drawn
	accepted int // of these, answered by the oracle without an error
	tokens   map[string]int
	doors    map[string]int // by which it came
}

func (c coverage) at(name string) *drawn {
	d := c[name]
	if d == nil {
		d = &drawn{tokens: map[string]int{}, doors: map[string]int{}}
		c[name] = d
	}
	return d
}

func (c coverage) draw(name string)         { c.at(name).times++ }
func (c coverage) token(name, token string) { c.at(name).tokens[token]++ }
func (c coverage) by(name, door string)     { c.at(name).doors[door]++ }
func (c coverage) accept(name string)       { c.at(name).accepted++ }

// missing lists the commands and options of rows that were never drawn, and the commands that were
// never accepted.
func (c coverage) missing(rows []*row) []string {
	var list []string
	for _, r := range rows {
		d := c.at(r.name)
		if d.times == 0 {
			list = append(list, r.name)
			continue
		}
		if d.accepted == 0 {
			list = append(list, r.name+" without an error")
		}
		for _, token := range tokens(r.syntax) {
			if d.tokens[token] == 0 {
				list = append(list, r.name+" "+token)
			}
		}
	}
	return list
}

// tokens are the words in a syntax, without those that come twice.
func tokens(args []cmdtable.Arg) []string {
	var list []string
	for _, a := range args {
		if a.Token != "" {
			list = append(list, a.Token)
		}
		list = append(list, tokens(a.Args)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// print writes a line for each command: how often it was drawn, how often accepted, and how often
// each option came.
func (c coverage) print(out io.Writer, rows []*row) {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "command\tdrawn\taccepted\tdoors\toptions")
	for _, r := range rows {
		d := c.at(r.name)
		var b strings.Builder
		for _, token := range tokens(r.syntax) {
			fmt.Fprintf(&b, "%s %d  ", token, d.tokens[token])
		}
		doors := make([]string, 0, len(d.doors))
		for _, door := range slices.Sorted(maps.Keys(d.doors)) {
			doors = append(doors, fmt.Sprintf("%s %d", door, d.doors[door]))
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%s\t%s\n", r.name, d.times, d.accepted, strings.Join(doors, "  "), b.String())
	}
	_ = tw.Flush()
}
