package testredis

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/reply"
)

// Comparison is the result of a test that was repeated on a server.
type Comparison struct {
	// Uses lists what the test uses that a server does not have, such as the clock. The test was then
	// not compared.
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
func (env *Env) Keyspace() (harness.Keyspace, error) { return env.keyspaceOf() }

// Compare compares a test on the engine with the same one on a server: replies, and the keyspaces
// at the end. What differs after the test has read the clock is not a difference: the clocks of
// both show different times.
func Compare(engine, server *Env, on, at harness.Keyspace) Comparison {
	var c Comparison
	loose := exact // what time or chance has decided may be in all later replies
	timed, real := "", 0
	for i, x := range engine.exchanges {
		if timed == "" {
			timed, real = x.Timed, len(c.Differences)
		}
		if x.Loose > exact && !slices.Contains(c.Loosely, x.Why) {
			c.Loosely = append(c.Loosely, x.Why)
		}
		loose = max(loose, x.Loose)
		if i >= len(server.exchanges) {
			c.Differences = append(c.Differences, "on the server the test ended before: "+x.Label)
			break
		}
		y := server.exchanges[i]
		if x.Label != y.Label && (loose == exact || mask(x.Label) != mask(y.Label)) {
			c.Differences = append(c.Differences, fmt.Sprintf("the test went on differently:\n  redmoon: %s\n   server: %s", x.Label, y.Label))
			break
		}
		same := sameReply(x.Reply, y.Reply, loose)
		if x.AboutServer {
			same = harness.RESP2(x.Reply).Kind() == harness.RESP2(y.Reply).Kind()
		}
		if !same {
			c.Differences = append(c.Differences, fmt.Sprintf("%s\n  redmoon: %s\n   server: %s", x.Label,
				harness.OneLine(x.Reply), harness.OneLine(y.Reply)))
		}
	}
	if len(c.Differences) == 0 && len(server.exchanges) > len(engine.exchanges) {
		c.Differences = append(c.Differences, "on the server the test ran more: "+server.exchanges[len(engine.exchanges)].Label)
	}
	c.Differences = append(c.Differences, compareKeyspaces(on, at, loose)...)
	if timed != "" && real == 0 && len(c.Differences) > 0 {
		return Comparison{Uses: []string{"the time, by " + timed}}
	}
	return c
}

// tolerance is by how much times to live may differ, since the clock of the server moves on.
const tolerance = 10 * time.Second

func compareKeyspaces(on, at harness.Keyspace, loose looseness) (differences []string) {
	same := func(a, b harness.Key) bool {
		return a.Type == b.Type && a.Expires == b.Expires && (a.TTL-b.TTL).Abs() <= tolerance && sameReply(a.Value, b.Value, loose)
	}
	show := func(k harness.Key, exists bool) string {
		if !exists {
			return "does not exist"
		}
		text := k.Type + " " + harness.OneLine(k.Value)
		if k.Expires {
			text += ", lives for " + k.TTL.Round(time.Second).String()
		}
		return text
	}
	for _, c := range on.ChangesBy(at, same) {
		differences = append(differences, fmt.Sprintf("the key %s at the end\n  redmoon: %s\n   server: %s",
			harness.Word(c.Name), show(c.Before, c.Had), show(c.After, c.Has)))
	}
	return differences
}

// sameReply compares replies. The errors of scripts are compared without the script's SHA1.
func sameReply(a, b reply.Value, loose looseness) bool {
	a, b = harness.RESP2(a), harness.RESP2(b)
	switch {
	case a.Equal(b):
		return true
	case a.IsError() && b.IsError() && shortError(a.Text()) == shortError(b.Text()):
		return true
	case loose == numbers:
		return masked(a) == masked(b)
	case loose == shapes:
		return shape(a) == shape(b)
	}
	return false
}

// digits matches a number within a text.
var digits = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?`)

func mask(text string) string { return digits.ReplaceAllString(text, "#") }

// masked describes a reply without its numbers and without the order of its lists.
func masked(v reply.Value) string {
	list := v.Slice()
	if list == nil {
		if v.Kind() == reply.KindInt {
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

// shape describes the kinds and lengths in a reply.
func shape(v reply.Value) string {
	list := v.Slice()
	if list == nil {
		return v.Kind().String()
	}
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = shape(e)
	}
	return "[" + strings.Join(parts, " ") + "]"
}
