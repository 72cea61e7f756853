package testredis

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/reply"
)

// Comparison is the result of a test that was repeated on a server.
type Comparison struct {
	// Uses lists what the test uses that a server does not have, such as the clock. The test was then
	// not repeated.
	Uses []string
	// Differences describe what was not the same, for people; empty: nothing.
	Differences []string
	// Loosely lists the commands because of which some replies were compared without their numbers.
	Loosely []string
}

// Uses returns what a test uses that cannot be repeated on a server.
func (env *Env) Uses() []string {
	if env.w.Settings.special() {
		return append(slices.Clone(env.uses), "server{...}")
	}
	return env.uses
}

func (s Settings) special() bool {
	return s.Cluster || s.OneSlot || s.Rollback || len(s.Config) > 0
}

// Prepare empties the database of a server for a test.
func Prepare(ctx context.Context, s Server) error {
	for _, words := range [][]string{{"DISCARD"}, {"UNWATCH"}, {"FLUSHDB"}} {
		v, err := s.Do(ctx, words)
		if err != nil {
			return err
		}
		if v.IsError() && words[0] == "FLUSHDB" {
			return fmt.Errorf("FLUSHDB: %s", v.Text())
		}
	}
	return nil
}

// Finish removes what a test has left on a server besides its keys: function libraries.
func (env *Env) Finish() error {
	for _, name := range env.libraries {
		if _, err := env.remote.Do(context.Background(), []string{"FUNCTION", "DELETE", name}); err != nil {
			return err
		}
	}
	return nil
}

// Keyspace copies the database of a test, for [Compare].
func (env *Env) Keyspace() (Keyspace, error) { return env.keyspaceOf() }

// Compare compares a test on the engine with the same one on a server: replies, and the keyspaces at
// the end.
func Compare(engine, server *Env, on, at Keyspace) Comparison {
	var c Comparison
	loose := false
	for i, x := range engine.exchanges {
		if x.Why != "" {
			loose = true
			if !slices.Contains(c.Loosely, x.Why) {
				c.Loosely = append(c.Loosely, x.Why)
			}
		}
		if i >= len(server.exchanges) {
			c.Differences = append(c.Differences, "on the server the test ended before: "+x.Label)
			break
		}
		y := server.exchanges[i]
		if x.Label != y.Label && !(loose && mask(x.Label) == mask(y.Label)) {
			c.Differences = append(c.Differences, fmt.Sprintf("the test went on differently:\n  redmoon: %s\n   server: %s", x.Label, y.Label))
			break
		}
		a, b := x.Reply, y.Reply
		if !sameReply(a, b, x.Why != "" || loose) {
			c.Differences = append(c.Differences, fmt.Sprintf("%s\n  redmoon: %s\n   server: %s", x.Label, oneLine(a), oneLine(b)))
		}
	}
	if len(c.Differences) == 0 && len(server.exchanges) > len(engine.exchanges) {
		c.Differences = append(c.Differences, "on the server the test ran more: "+server.exchanges[len(engine.exchanges)].Label)
	}
	c.Differences = append(c.Differences, compareKeyspaces(engine, on, at, loose)...)
	return c
}

// tolerance is by how much times to live may differ, since the clock of the server moves on.
const tolerance = 10 * time.Second

func compareKeyspaces(env *Env, on, at Keyspace, loose bool) (differences []string) {
	names := map[string]bool{}
	for _, all := range []Keyspace{on, at} {
		for name := range all {
			names[name] = true
		}
	}
	show := func(all Keyspace, name string) string {
		k, ok := all[name]
		if !ok {
			return "does not exist"
		}
		text := k.Type + " " + oneLine(k.Value)
		if k.TTL > 0 {
			text += ", lives for " + k.TTL.Round(time.Second).String()
		}
		return text
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, ok := on[name]
		b, ok2 := at[name]
		if ok && ok2 && a.Type == b.Type && (a.TTL > 0) == (b.TTL > 0) && (a.TTL-b.TTL).Abs() <= tolerance && sameReply(a.Value, b.Value, loose) {
			continue
		}
		differences = append(differences, fmt.Sprintf("the key %s at the end\n  redmoon: %s\n   server: %s", quote(name), show(on, name), show(at, name)))
	}
	return differences
}

func oneLine(v reply.Value) string {
	text := strings.ReplaceAll(v.String(), "\n", ", ")
	if len(text) > 500 {
		text = text[:500] + "…"
	}
	return text
}

// sameReply compares replies. An error of a script names the script, whose text may differ in
// details of the version, so errors are compared without that. With loose, numbers need not be
// equal, and lists need not have the same order.
func sameReply(a, b reply.Value, loose bool) bool {
	if a.Equal(b) {
		return true
	}
	if a.IsError() && b.IsError() && shortError(a.Text()) == shortError(b.Text()) {
		return true
	}
	return loose && masked(a) == masked(b)
}

// digits matches a number within a text.
var digits = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?`)

func mask(text string) string { return digits.ReplaceAllString(text, "#") }

// masked describes a reply without its numbers and without the order of its lists.
func masked(v reply.Value) string {
	list := v.Slice()
	if list == nil {
		switch v.Kind() {
		case reply.KindInt, reply.KindDouble:
			return "#"
		}
		return v.Kind().String() + ":" + mask(v.Text())
	}
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = masked(e)
	}
	slices.Sort(parts)
	return "[" + strings.Join(parts, " ") + "]"
}
