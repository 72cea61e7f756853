package main

import (
	_ "embed"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

//go:embed testdata/equivalent.txt
var equivalents string

// printMutant prints a mutant: where it is and what changes.
func printMutant(w io.Writer, m *mutant) {
	fmt.Fprintf(w, "%s:%d %s\n    - %s\n    + %s\n", m.path, m.line, m.function, m.text, m.mutated)
}

// printVerdict prints one line for a killed mutant, more for others.
func printVerdict(w io.Writer, v verdict, done, all int) {
	fmt.Fprintf(w, "[%d/%d] %s: ", done, all, v.state)
	if v.state == killed {
		fmt.Fprintf(w, "%s:%d %s by %s (%s)\n", v.path, v.line, v.kind, v.by, v.wall.Round(10*time.Millisecond))
	} else {
		printMutant(w, v.mutant)
		fmt.Fprintf(w, "    tests that reach it: %d (%s)\n", v.tests, v.wall.Round(10*time.Millisecond))
	}
	for _, t := range v.flaky {
		fmt.Fprintf(w, "    fails now and then: %s\n", t)
	}
}

// counts are the mutants of a folder by state.
type counts map[state]int

func (c counts) all() int { return c[killed] + c[survived] + c[equivalent] + c[notReached] }

// percent is the killed part of the mutants that are not equivalent.
func (c counts) percent() float64 {
	judged := c.all() - c[equivalent]
	if judged == 0 {
		return 100
	}
	return 100 * float64(c[killed]) / float64(judged)
}

// report prints the survivors and the table, and returns the percentage of all.
func report(w io.Writer, verdicts []verdict) (float64, error) {
	for _, s := range []state{survived, notReached, equivalent} {
		for _, v := range verdicts {
			if v.state != s {
				continue
			}
			fmt.Fprintf(w, "\n%s: ", s)
			printMutant(w, v.mutant)
			switch s {
			case survived:
				fmt.Fprintf(w, "    tests that reach it: %d\n", v.tests)
			case equivalent:
				fmt.Fprintf(w, "    %s\n", v.reason)
			}
			fmt.Fprintf(w, "    %s\n", v.identity)
		}
	}
	fmt.Fprintln(w)
	byFolder, total := map[string]counts{}, counts{}
	for _, v := range verdicts {
		if byFolder[v.folder] == nil {
			byFolder[v.folder] = counts{}
		}
		byFolder[v.folder][v.state]++
		total[v.state]++
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, c counts) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t\n", name, c.all(), c[killed], c[survived], c[equivalent], c[notReached], c.percent())
	}
	fmt.Fprintln(t, "folder\tmutants\tkilled\tsurvived\tequivalent\tnot reached\tkilled\t")
	for _, f := range folders {
		if c := byFolder[f]; c != nil {
			row(f, c)
		}
	}
	row("all", total)
	return total.percent(), t.Flush()
}
