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
func (env *Env) Keyspace() (Keyspace, error) { return env.keyspaceOf() }

// Compare compares a test on the engine with the same one on a server: replies, and the keyspaces
// at the end. What differs after the test has read the clock is not a difference: the clocks of
// both show different times.
func Compare(engine, server *Env, on, at Keyspace) Comparison {
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
			same = resp2(x.Reply).Kind() == resp2(y.Reply).Kind()
		}
		if !same {
			c.Differences = append(c.Differences, fmt.Sprintf("%s\n  redmoon: %s\n   server: %s", x.Label, oneLine(x.Reply), oneLine(y.Reply)))
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

func compareKeyspaces(on, at Keyspace, loose looseness) (differences []string) {
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
		sameTTL := (a.TTL > 0) == (b.TTL > 0) && (a.TTL-b.TTL).Abs() <= tolerance
		if ok && ok2 && a.Type == b.Type && sameTTL && sameReply(a.Value, b.Value, loose) {
			continue
		}
		differences = append(differences,
			fmt.Sprintf("the key %s at the end\n  redmoon: %s\n   server: %s", quote(name), show(on, name), show(at, name)))
	}
	return differences
}

// shownReply is the number of bytes of a reply that are shown.
const shownReply = 500

// oneLine shows a reply on one line.
func oneLine(v reply.Value) string {
	text := string(appendReply(nil, resp2(v)))
	if len(text) > shownReply {
		text = strings.ToValidUTF8(text[:shownReply], "") + "…"
	}
	return text
}

// appendReply appends a reply: lists in brackets, anything else as redis-cli shows it.
func appendReply(b []byte, v reply.Value) []byte {
	list := v.Slice()
	if list == nil {
		return append(b, v.String()...)
	}
	b = append(b, '[')
	for i, e := range list {
		if len(b) > shownReply {
			break
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendReply(b, e)
	}
	return append(b, ']')
}

// resp2 returns a reply as a client gets it in RESP2.
func resp2(v reply.Value) reply.Value {
	switch v.Kind() {
	case reply.KindArray, reply.KindMap, reply.KindSet, reply.KindPush:
		list := slices.Clone(v.Slice())
		for i := range list {
			list[i] = resp2(list[i])
		}
		return reply.Array(list...)
	case reply.KindDouble, reply.KindBigNumber, reply.KindVerbatim:
		return reply.Bulk(v.Text())
	case reply.KindBool:
		return reply.Int(v.MustInt())
	case reply.KindNilArray:
		return reply.Nil()
	}
	return v
}

// sameReply compares replies. The errors of scripts are compared without the script's SHA1.
func sameReply(a, b reply.Value, loose looseness) bool {
	a, b = resp2(a), resp2(b)
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
