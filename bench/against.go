package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
)

// runAgainst builds this bench twice, with the library of this tree and with that of a commit, and
// runs the two programs alternately. The bare gopher-lua of micro is the same in both, so the
// distance of its ratios from 1 shows the noise of the machine.
func runAgainst(commit string, opt options) (err error) {
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tree := filepath.Join(dir, "tree")
	if _, err := output(root, "git", "worktree", "add", "--detach", tree, commit); err != nil {
		return err
	}
	defer func() {
		_, e := output(root, "git", "worktree", "remove", "--force", tree)
		err = errors.Join(err, e)
	}()
	here, there := filepath.Join(root, "bench"), filepath.Join(tree, "bench")
	if err := os.RemoveAll(there); err != nil {
		return err
	}
	if err := os.CopyFS(there, os.DirFS(here)); err != nil {
		return err
	}
	programs := []string{filepath.Join(dir, "here"), filepath.Join(dir, "there")}
	if _, err := output(here, "go", "build", "-o", programs[0], "."); err != nil {
		return err
	}
	// The other library may require other versions of common dependencies.
	if _, err := output(there, "go", "build", "-mod=mod", "-o", programs[1], "."); err != nil {
		return err
	}
	argv := []string{"-json", "-local", "-rounds", "1", "-time", opt.box.String(), "-only", opt.only, "-match", opt.match}
	if opt.cpu {
		argv = append(argv, "-cpu")
	}
	sums := make([][]record, 2)
	for round := range opt.rounds {
		for k := range programs {
			i := (k + round) % 2
			text, err := output(dir, programs[i], argv...)
			if err != nil {
				return err
			}
			var rs []record
			if err := json.Unmarshal([]byte(text), &rs); err != nil {
				return err
			}
			sums[i] = merge(sums[i], rs)
		}
	}
	printAgainst(commit, sums[0], sums[1], opt)
	return nil
}

// output runs a program and returns its standard output; the error includes its standard error.
func output(dir, name string, argv ...string) (string, error) {
	cmd := exec.Command(name, argv...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return "", fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(argv, " "), err)
	}
	return string(out), nil
}

// merge appends the rounds of more to the records with the same name and target in list.
func merge(list, more []record) []record {
	for _, m := range more {
		found := false
		for i := range list {
			if list[i].Name == m.Name && list[i].Target == m.Target {
				list[i].NS = append(list[i].NS, m.NS...)
				found = true
			}
		}
		if !found {
			list = append(list, m)
		}
	}
	return list
}

func printAgainst(commit string, here, there []record, opt options) {
	fmt.Printf("%s, %d CPUs; %d rounds of %v, %s, this tree and %s alternately\n\n",
		runtime.Version(), runtime.NumCPU(), opt.rounds, opt.box, opt.time(), commit)
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "workload\ttarget\tthis tree ns\t%s ns\tthis tree ÷ %s\t\n", commit, commit)
	all := map[string][]float64{}
	var order []string
	for _, r := range here {
		was := times(there, r.Name, r.Target)
		if was == nil {
			continue
		}
		q := ratioOf(r.NS, was)
		fmt.Fprintf(tw, "%s\t%s\t%.0f\t%.0f\t%v\t\n", r.Name, r.Target, median(r.NS), median(was), q)
		if all[r.Target] == nil {
			order = append(order, r.Target)
		}
		all[r.Target] = append(all[r.Target], q.medians)
	}
	_ = tw.Flush()
	fmt.Println()
	for _, target := range order {
		if list := all[target]; len(list) > 1 {
			fmt.Printf("%s: geometric mean %.2f of %d\n", target, geometricMean(list), len(list))
		}
	}
}
