package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
)

// errAgain is part of errors after which the same command goes on.
var errAgain = errors.New("run the command again")

// apply loads the texts into every node, then looks at every node.
func (r *run) apply(ctx context.Context) error {
	for i, n := range r.nodes {
		if err := r.load(ctx, i); err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
		if r.o.sent != nil {
			r.o.sent(n.name)
		}
	}
	for _, n := range r.nodes {
		if err := r.verify(ctx, n); err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
	}
	return r.sameMasters(ctx)
}

// load loads the texts into a node: first the scripts, then all changes of libraries. It
// also loads scripts that the node has: Valkey does not forget a script that was loaded after it
// was sent with EVAL. (Redis 8 may forget it nevertheless.)
func (r *run) load(ctx context.Context, index int) error {
	n := r.nodes[index]
	for _, s := range r.sources.Scripts {
		v, err := n.call(ctx, "SCRIPT", "LOAD", s.Text)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
		if v.Text() != s.SHA1 {
			return fmt.Errorf("%s: SCRIPT LOAD returned %q, not %s", s.Path, harmless(v.Text()), s.SHA1)
		}
	}
	changes := r.orders[index]
	if len(changes) == 0 {
		return nil
	}
	now, err := n.read(ctx, r.sources)
	if err != nil {
		return err
	}
	for _, i := range changes {
		if now.libraries[i.library].text != r.states[index].libraries[i.library].text {
			return fmt.Errorf("somebody else has changed the library %s meanwhile; %w", i.library, errAgain)
		}
	}
	return n.change(ctx, changes)
}

// change makes changes of libraries. If they are several, the node makes them in a transaction.
func (n *node) change(ctx context.Context, changes []item) error {
	var commands [][]string
	for _, i := range changes {
		if i.change == pruned {
			commands = append(commands, []string{"FUNCTION", "DELETE", i.library})
		} else {
			commands = append(commands, []string{"FUNCTION", "LOAD", "REPLACE", i.new})
		}
	}
	if len(commands) == 1 {
		_, err := n.call(ctx, commands[0]...)
		return forReplica(err)
	}
	if _, err := n.call(ctx, "MULTI"); err != nil {
		return err
	}
	for _, args := range commands {
		if _, err := n.call(ctx, args...); err != nil {
			_, _ = n.call(ctx, "DISCARD") // err is what went wrong
			return forReplica(err)
		}
	}
	v, err := n.call(ctx, "EXEC")
	if err != nil {
		return forReplica(err)
	}
	for k, each := range v.Slice() {
		if each.IsError() {
			return fmt.Errorf("library %s: %s", changes[k].library, harmless(each.Text()))
		}
	}
	return nil
}

// forReplica says more about the error of a server that has become a replica.
func forReplica(err error) error {
	if err != nil && strings.Contains(err.Error(), "READONLY") {
		return fmt.Errorf("%w (the server has become a replica; when a new master serves, %w)", err, errAgain)
	}
	return err
}

// verify returns an error unless a node has all texts, and is a master.
func (r *run) verify(ctx context.Context, n *node) error {
	if err := n.refresh(ctx); err != nil {
		return err
	}
	if err := n.mustBeMaster(); err != nil {
		return fmt.Errorf("%w; it was a master until now: %w", err, errAgain)
	}
	st, err := n.read(ctx, r.sources)
	if err != nil {
		return err
	}
	if lacks := r.lacks(n, st); len(lacks) > 0 {
		return fmt.Errorf("it does not have what was loaded, somebody else has changed it meanwhile: %s; %w",
			strings.Join(lacks, ", "), errAgain)
	}
	return nil
}

// lacks names what a node lacks, has otherwise, or should not have any more.
func (r *run) lacks(n *node, st *state) (list []string) {
	for _, i := range makePlan(n, r.sources, st, r.o, nil).items {
		switch {
		case i.change == isSame || i.change == isOther:
		case i.library == "":
			list = append(list, i.path)
		default:
			list = append(list, "library "+i.library)
		}
	}
	for _, l := range r.sources.Libraries {
		if has := st.libraries[l.Name]; has.text == l.Text && !slices.Equal(has.functions, l.Functions) {
			list = append(list, fmt.Sprintf("library %s registers %v there, not %v", l.Name, has.functions, l.Functions))
		}
	}
	return list
}

// sameMasters returns an error if the cluster has other masters than at the beginning.
func (r *run) sameMasters(ctx context.Context) error {
	if !r.nodes[0].clustered() {
		return nil
	}
	names, err := r.nodes[0].masters(ctx, backend.Encrypted(r.o.Address))
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(r.nodes, func(n *node) bool { return n.name == name }) {
			return fmt.Errorf("%s has become a master of the cluster meanwhile; %w", harmless(name), errAgain)
		}
	}
	return nil
}

// reportNodes prints which nodes have what, after a deployment has failed.
func (r *run) reportNodes(ctx context.Context) {
	for _, n := range r.nodes {
		st, err := n.read(ctx, r.sources)
		switch {
		case err != nil:
			fmt.Fprintf(r.o.Problems, "redmoon: %s: what it has is not known: %v\n", n.name, err)
			continue
		}
		if lacks := r.lacks(n, st); len(lacks) > 0 {
			fmt.Fprintf(r.o.Problems, "redmoon: %s: not as in the files: %s\n", n.name, strings.Join(lacks, ", "))
		} else {
			fmt.Fprintf(r.o.Problems, "redmoon: %s: has everything\n", n.name)
		}
	}
}
