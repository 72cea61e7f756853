package deploy

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Options say what to deploy, and how.
type Options struct {
	bundle.Options

	Address string   // as [backend.Connect] takes it
	Paths   []string // scripts, or folders with files *.lua
	Yes     bool     // deploy; else only the plan is printed
	Check   bool     // compare; nothing is changed
	Prune   []string // libraries of the server to delete
	Except  []string // libraries of the server that are not reported
	Lock    string   // the lock file; "": none

	Stdout, Problems io.Writer // Problems gets what is wrong with files, and warnings

	sent func(node string) // for tests: called when a node has got all it needs. Optional.
}

// Run deploys, plans or compares. differ is the number of differences that Check has found. After
// an error, Problems or the error says which nodes have what.
func Run(ctx context.Context, o Options) (differ int, err error) {
	r := &run{o: &o}
	defer r.close()
	if err := r.prepare(ctx); err != nil {
		return 0, err
	}
	fmt.Fprint(o.Stdout, printPlans(r.plans))
	switch {
	case o.Check:
		return r.check()
	case !o.Yes:
		fmt.Fprintln(o.Stdout, r.summary())
		return 0, nil
	}
	if err := r.apply(ctx); err != nil {
		r.reportNodes(ctx)
		return 0, err
	}
	for _, n := range r.nodes {
		fmt.Fprintf(o.Stdout, "%s: has %s and %s\n", n.name, count(len(r.sources.Scripts), "script", "scripts"),
			count(len(r.sources.Libraries), "library", "libraries"))
	}
	if o.Lock == "" {
		return 0, nil
	}
	now, err := lockOf(r.sources, o.Lock)
	if err != nil {
		return 0, err
	}
	return 0, now.write(r.lock)
}

// run is one deployment.
type run struct {
	o       *Options
	sources *Sources
	lock    *Lock // nil: there is none
	nodes   []*node
	states  []*state // of nodes, before
	plans   []*plan  // of nodes
	orders  [][]item // of nodes: the changes of libraries
}

func (r *run) close() {
	for _, n := range r.nodes {
		n.close()
	}
}

// prepare does all that changes no node: it reads files and nodes, and looks for what would fail.
func (r *run) prepare(ctx context.Context) (err error) {
	if r.sources, err = Read(r.o.Paths, r.o.Options, r.o.Problems); err != nil {
		return err
	}
	for _, name := range r.o.Prune {
		if l := r.sources.library(name); l != nil {
			return fmt.Errorf("--prune %s: the file %s has this library", name, l.Path)
		}
	}
	if r.o.Lock != "" {
		if r.lock, err = readLock(r.o.Lock); err != nil {
			return err
		}
	}
	if r.nodes, err = connectAll(ctx, r.o.Address); err != nil {
		return err
	}
	if err := r.checkTexts(ctx); err != nil {
		return err
	}
	for _, n := range r.nodes {
		st, err := n.read(ctx, r.sources)
		if err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
		r.states = append(r.states, st)
		r.plans = append(r.plans, makePlan(n, r.sources, st, r.o, r.lock))
	}
	if r.o.Check {
		return nil
	}
	if err := r.checkPrune(); err != nil {
		return err
	}
	for i, n := range r.nodes {
		changes, err := order(r.plans[i], r.sources, r.states[i])
		if err != nil {
			return err
		}
		r.orders = append(r.orders, changes)
		if err := n.mayDeploy(ctx, r.sources, changes); err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
	}
	return nil
}

// checkTexts loads the texts into an engine for each kind of server among the nodes.
func (r *run) checkTexts(ctx context.Context) error {
	var kinds []servers.Server
	var names []string
	for _, n := range r.nodes {
		if !slices.Contains(kinds, n.server) {
			kinds, names = append(kinds, n.server), append(names, n.server.String())
		}
	}
	for _, kind := range kinds {
		if err := r.sources.check(ctx, kind); err != nil {
			return err
		}
	}
	return r.sources.warn(names, r.o.Problems)
}

// checkPrune returns an error for a library to delete that no node has.
func (r *run) checkPrune() error {
	for _, name := range r.o.Prune {
		if !slices.ContainsFunc(r.states, func(st *state) bool { _, has := st.libraries[name]; return has }) {
			return fmt.Errorf("--prune %s: no server has this library", name)
		}
	}
	return nil
}

// mayDeploy returns an error if the server says that its user may not do what a deployment does. A
// user who may not ask finds out later.
func (n *node) mayDeploy(ctx context.Context, s *Sources, changes []item) error {
	who, err := n.call(ctx, "ACL", "WHOAMI")
	if err != nil {
		return nil //nolint:nilerr // asking is not a condition
	}
	needed := map[string][]string{}
	if len(s.Scripts) > 0 {
		needed["SCRIPT LOAD"] = []string{"SCRIPT", "LOAD", "return 1"}
	}
	for _, i := range changes {
		if i.change == pruned {
			needed["FUNCTION DELETE"] = []string{"FUNCTION", "DELETE", i.library}
		} else {
			needed["FUNCTION LOAD"] = []string{"FUNCTION", "LOAD", "REPLACE", i.new}
		}
	}
	if len(changes) > 1 {
		needed["MULTI"], needed["EXEC"] = []string{"MULTI"}, []string{"EXEC"}
	}
	var refused []string
	for name, args := range needed {
		v, err := n.call(ctx, append([]string{"ACL", "DRYRUN", who.Text()}, args...)...)
		if err == nil && v.Text() != "OK" {
			refused = append(refused, name)
		}
	}
	if len(refused) > 0 {
		slices.Sort(refused)
		return fmt.Errorf("the user %s may not use %s", harmless(who.Text()), strings.Join(refused, ", "))
	}
	return nil
}

// summary is the last line of a plan.
func (r *run) summary() string {
	for _, p := range r.plans {
		if slices.ContainsFunc(p.items, func(i item) bool { return i.change != isSame && i.change != isOther }) {
			return "Nothing has been changed; --yes deploys."
		}
	}
	return "There is nothing to deploy."
}

// check counts the differences, and prints those between the files and the lock file.
func (r *run) check() (differ int, err error) {
	for _, p := range r.plans {
		differ += p.differences()
	}
	if r.o.Lock == "" {
		return differ, nil
	}
	now, err := lockOf(r.sources, r.o.Lock)
	if err != nil {
		return differ, err
	}
	list := r.lock.compare(now)
	for _, line := range list {
		fmt.Fprintln(r.o.Stdout, harmless(line))
	}
	return differ + len(list), nil
}
