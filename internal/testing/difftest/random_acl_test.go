package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// aclRules are the rules from which a random user gets some; % stands for a category and $ for a
// command.
var aclRules = []string{"+@%", "+@%", "+@%", "-@%", "-@%", "+$", "+$", "-$", "-$", "+@all", "-@all", "~*", "~k*", "%R~k*", "%W~k*", "~*1",
	"%R~*",
	"%W~l*", "~k1", "&*", "&c*", "&k1", "allkeys", "resetkeys", "resetchannels", "(~k* +@%)", "(%R~* +@% -$)", "(allkeys +$)", "(+@all ~k1)",
	"+select|1", "on"}

// randomRules makes the rules of a user.
func randomRules(rng *rand.Rand, categories, names []string) []string {
	var rules []string
	for range 2 + rng.IntN(7) {
		r := pick(rng, aclRules)
		r = strings.ReplaceAll(r, "@%", "@"+pick(rng, categories))
		rules = append(rules, strings.ReplaceAll(r, "$", pick(rng, names)))
	}
	return rules
}

// TestRandomUsers gives users random rules and asks both sides which random commands they may run,
// and how each user is described.
func TestRandomUsers(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	seed := tier.Seed()
	users := tier.Number("REDMOON_USERS", 30, 60)
	rng := rand.New(rand.NewPCG(uint64(seed), 11))
	texts := func(n node) (out []string) {
		for _, kid := range n.kids {
			out = append(out, kid.text)
		}
		slices.Sort(out)
		return out
	}
	both := func(args ...string) node {
		a, b := ask(t, theirs, args...), ask(t, ours, args...)
		require.Equal(t, fmt.Sprintf("%c %s", a.mark, a.text), fmt.Sprintf("%c %s", b.mark, b.text), "seed %d: %q", seed, args)
		return a
	}
	categories := texts(both("ACL", "CAT"))
	require.Len(t, categories, 21)
	names := texts(ask(t, ours, "COMMAND", "LIST", "FILTERBY", "PATTERN", "*"))
	for _, cat := range categories {
		require.Equal(t, texts(ask(t, theirs, "ACL", "CAT", cat)), texts(ask(t, ours, "ACL", "CAT", cat)), cat)
	}
	groups := []string{"generic", "string", "list", "set", "sorted-set", "hash", "stream", "geo", "bitmap", "hyperloglog", "scripting",
		"transactions", "connection", "server", "pubsub", "cluster"}
	visible := commandSet{names: map[string]bool{}}
	for _, n := range names {
		visible.names[n] = true
	}
	g := newGenerator(uint64(seed), style{groups: groups, proto: 2}, rowsOf(visible, groups))
	asked, allowed := 0, 0
	for u := range users {
		name := fmt.Sprintf("u%d", u)
		rules := append([]string{"ACL", "SETUSER", name}, randomRules(rng, categories, names)...)
		if both(rules...).mark != '+' {
			continue
		}
		want, got := ask(t, theirs, "ACL", "GETUSER", name), ask(t, ours, "ACL", "GETUSER", name)
		require.Equal(t, described(want), described(got), "seed %d: %q", seed, rules)
		for i := range 200 {
			args := g.step(i).Args
			if slices.ContainsFunc(args, func(a string) bool { return len(a) > 1000 }) {
				continue
			}
			n := both(append([]string{"ACL", "DRYRUN", name}, args...)...)
			asked++
			if n.mark == '+' {
				allowed++
			}
		}
	}
	t.Logf("%d commands asked for, %d allowed", asked, allowed)
	require.Greater(t, allowed, asked/20)
}

// described is a reply of ACL GETUSER as text. Single commands have the order of a hash table in
// Redis, so words are sorted.
func described(n node) string {
	if len(n.kids) == 0 {
		words := strings.Fields(n.text)
		slices.Sort(words)
		return strings.Join(words, " ")
	}
	var b strings.Builder
	for _, kid := range n.kids {
		fmt.Fprintf(&b, "[%s]", described(kid))
	}
	return b.String()
}
