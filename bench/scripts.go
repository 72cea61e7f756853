package main

import (
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
)

// scriptBound is the goal for the ready scripts: the ratio of the speed of an in-process engine to
// that of redis-server over loopback.
const scriptBound = 3

// runScripts compares all ready scripts on an in-process engine and on redis-server over loopback,
// and marks those below the bound.
func runScripts(opt options) error {
	all, stop, err := startTargets(opt)
	defer stop()
	if err != nil {
		return err
	}
	var targets []target
	for _, t := range all {
		if t.name == "redmoon in-process" || t.name == base {
			targets = append(targets, t)
		}
	}
	if len(targets) != 2 {
		return errors.New("redis-server is not installed")
	}
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "script\tin-process/s\tredis-server/s\tleast ÷\tmedian ÷\tgreatest ÷\t\t\n")
	below := 0
	for _, w := range workloads() {
		if w.script == nil || w.bare || !opt.matches(w.name) {
			continue
		}
		rs, err := measure(w, targets, opt.rounds, opt.box)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		q, mark := ratioOf(rs[0].rates, rs[1].rates), ""
		if q.medians < scriptBound {
			mark = fmt.Sprintf("below %d", scriptBound)
			below++
		}
		fmt.Fprintf(tw, "%s\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%s\t\n",
			w.name, rs[0].median(), rs[1].median(), q.least, q.medians, q.greatest, mark)
	}
	_ = tw.Flush()
	fmt.Printf("\n%d ratios below %d\n\n", below, scriptBound)
	return nil
}
