// Measure prints how large the packages of a checkout are and how often it breaks the rules of
// [repo.Lint].
//
//	go run ./internal/testing/measure [-list prefix] [folder]
//
// The folder is any checkout of the repository. Without it the program measures its own. With -list
// it prints the findings in the files whose paths begin with prefix instead.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/redmoon-lua/redmoon/internal/testing/repo"
)

func main() {
	prefix := flag.String("list", "", "print the findings in files whose paths begin with this")
	flag.Parse()
	root := repo.Root()
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	show := measure
	if *prefix != "" {
		show = func(out io.Writer, root string) error { return list(out, root, *prefix) }
	}
	if err := show(os.Stdout, root); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func list(out io.Writer, root, prefix string) error {
	found, err := repo.Lint(root)
	if err != nil {
		return err
	}
	for _, f := range found {
		if strings.HasPrefix(f.File, prefix) {
			fmt.Fprintln(out, f)
		}
	}
	return nil
}

func measure(out io.Writer, root string) error {
	packages, err := repo.Packages(root)
	if err != nil {
		return err
	}
	counts, err := repo.Counts(root)
	if err != nil {
		return err
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "files\tlines\texported\ttest files\ttest lines\t package\t")
	var sum repo.Package
	for _, p := range append(packages, repo.Package{Path: "all"}) {
		if p.Path == "all" {
			sum.Path, p = p.Path, sum
		}
		fmt.Fprintf(tw, "%d\t%d\t%d\t%d\t%d\t %s\t\n", p.Files, p.Lines, p.Exported, p.TestFiles, p.TestLines, p.Path)
		sum.Files += p.Files
		sum.Lines += p.Lines
		sum.Exported += p.Exported
		sum.TestFiles += p.TestFiles
		sum.TestLines += p.TestLines
	}
	fmt.Fprintln(tw, "\nfound\t rule\t")
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(tw, "%d\t %s\t\n", counts[rule], rule)
	}
	return tw.Flush()
}
