package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	toggle "github.com/redmoon-lua/redmoon/internal/testing/mutants/mutant"
)

func main() {
	if len(os.Args) > 3 && os.Args[1] == "-collect" {
		if err := collect(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			os.Exit(2)
		}
		return
	}
	var o options
	flag.StringVar(&o.dir, "dir", ".", "the `tree` to mutate, for example the checkout of another commit")
	flag.IntVar(&o.count, "count", 200, "`number` of mutants")
	flag.Uint64Var(&o.seed, "seed", 1, "`number` that chooses the mutants")
	flag.StringVar(&o.only, "only", "", "take the mutants that this `file` names")
	flag.StringVar(&o.save, "save", "", "write the identities of the mutants to this `file`")
	flag.IntVar(&o.workers, "workers", 2, "`number` of tests that run at the same time")
	flag.IntVar(&o.memory, "memory", 8000, "`MiB` of address space that a test binary may use")
	flag.DurationVar(&o.longest, "longest", 3*time.Minute, "leave out tests that take longer than this `time`")
	flag.Float64Var(&o.least, "least", 97, "`percent` of the mutants that must be killed")
	flag.BoolVar(&o.keep, "keep", false, "keep the rewritten tree")
	flag.BoolVar(&o.list, "list", false, "only print the mutants")
	flag.Parse()
	percent, err := run(o)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	case percent < o.least:
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	dir, only, save        string
	count, workers, memory int
	seed                   uint64
	longest                time.Duration
	least                  float64
	keep, list             bool
}

// clock prints what each phase cost.
type clock struct {
	wall time.Time
	cpu  time.Duration
}

func (c *clock) phase(format string, args ...any) {
	now, used := time.Now(), cpu()
	if !c.wall.IsZero() {
		fmt.Printf("%s: %.0f s, processor %.0f s\n", fmt.Sprintf(format, args...), now.Sub(c.wall).Seconds(), (used - c.cpu).Seconds())
	}
	c.wall, c.cpu = now, used
}

// run makes and judges mutants, and returns the percentage that is killed.
func run(o options) (percent float64, err error) {
	root, err := moduleRoot(o.dir)
	if err != nil {
		return 0, err
	}
	var whole, c clock
	whole.phase("")
	c.phase("")
	b, err := choose(o, root)
	if err != nil {
		return 0, err
	}
	if n := len(b.chosen.mutants); n > toggle.Max/2 {
		return 0, fmt.Errorf("%d mutants are more than %d", n, toggle.Max/2)
	}
	c.phase("found and chose %d mutants", len(b.chosen.mutants))
	if o.list {
		for _, m := range b.chosen.mutants {
			printMutant(os.Stdout, m)
		}
		return 100, saveIf(o.save, b.chosen.mutants)
	}
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer func() {
		if o.keep {
			fmt.Println("the rewritten tree is", b.root)
		} else {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	b.root, b.bins = filepath.Join(temp, "tree"), filepath.Join(temp, "bins")
	if err := copyTree(root, b.root); err != nil {
		return 0, err
	}
	if err := b.compile(); err != nil {
		return 0, err
	}
	c.phase("rewrote and compiled %d files", len(b.chosen.used))
	if err := saveIf(o.save, b.chosen.mutants); err != nil {
		return 0, err
	}
	if err := b.link(o.workers); err != nil {
		return 0, err
	}
	c.phase("built the test binaries")
	kids, err := newChildren(b.root, temp, root, o.memory)
	if err != nil {
		return 0, err
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		kids.interrupt()
		for try := 0; os.RemoveAll(temp) != nil && try < 10; try++ { // what was killed may still end
			time.Sleep(100 * time.Millisecond)
		}
		os.Exit(130)
	}()
	tests, err := allTests(b, kids)
	if err != nil {
		return 0, err
	}
	good, err := kids.reachAll(tests, o.workers, o.longest)
	if err != nil {
		return 0, err
	}
	c.phase("ran %d tests with no mutant on", len(tests))
	verdicts, err := judgeAll(kids, b.chosen.mutants, good, o.workers)
	if err != nil {
		return 0, err
	}
	c.phase("judged")
	percent, err = report(os.Stdout, verdicts)
	whole.phase("all")
	return percent, err
}

// choose finds the places and takes some.
func choose(o options, root string) (*build, error) {
	module, err := modulePath(root)
	if err != nil {
		return nil, err
	}
	sources, err := load(root)
	if err != nil {
		return nil, err
	}
	b := &build{module: module, sources: map[string]*source{}}
	var places []*place
	for _, s := range sources {
		b.sources[s.path] = s
		for _, p := range findPlaces(s) {
			p.folder = folderOf(filepath.ToSlash(filepath.Dir(p.path)))
			places = append(places, p)
		}
	}
	fmt.Printf("%d places in %d files\n", len(places), len(sources))
	if o.only == "" {
		b.chosen = chooseBySeed(places, o.count, o.seed)
		return b, nil
	}
	text, err := os.ReadFile(o.only)
	if err != nil {
		return nil, err
	}
	wanted, _, err := readIdentities(string(text))
	if err != nil {
		return nil, err
	}
	var missing []identity
	b.chosen, missing = chooseOnly(places, wanted)
	for _, i := range missing {
		fmt.Println("  not in this tree, or inside another one:", i)
	}
	return b, nil
}

func saveIf(file string, mutants []*mutant) error {
	if file == "" {
		return nil
	}
	return save(file, mutants)
}

// allTests lists the tests of all binaries.
func allTests(b *build, kids *children) ([]*test, error) {
	bins, err := b.binaries()
	if err != nil {
		return nil, err
	}
	var all []*test
	for _, dir := range slices.Sorted(maps.Keys(bins)) {
		tests, err := kids.list(dir, bins[dir])
		if err != nil {
			return nil, err
		}
		all = append(all, tests...)
	}
	return all, nil
}

// judgeAll judges the mutants that are not known as equivalent.
func judgeAll(kids *children, mutants []*mutant, tests []*test, workers int) ([]verdict, error) {
	_, reasons, err := readIdentities(equivalents)
	if err != nil {
		return nil, err
	}
	reaching := map[int][]*test{}
	for _, t := range tests {
		for _, id := range t.reaches {
			reaching[id] = append(reaching[id], t)
		}
	}
	work := func(m *mutant) (sum time.Duration) {
		for _, t := range reaching[m.id] {
			sum += t.cost
		}
		return sum
	}
	mutants = slices.Clone(mutants) // the longest work first, so that no worker is left with it in the end
	slices.SortStableFunc(mutants, func(a, b *mutant) int { return cmp.Compare(work(b), work(a)) })
	verdicts := make([]verdict, len(mutants))
	var mu sync.Mutex
	done := 0
	err = parallel(workers, len(mutants), func(i int) error {
		m := mutants[i]
		v := verdict{mutant: m, state: equivalent, reason: reasons[m.identity], tests: len(reaching[m.id])}
		if v.reason == "" {
			var err error
			if v, err = kids.judge(m, reaching[m.id]); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		verdicts[i] = v
		done++
		printVerdict(os.Stdout, v, done, len(mutants))
		return nil
	})
	return verdicts, err
}
