package acl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/config"
)

// hash is the SHA-256 of the password pw.
const hash = "30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4"

func newList() (*acl.List, *config.Config) {
	c := config.New(datastore.DefaultLimits(), servers.Redis70)
	return acl.NewList(cmdrows.TableOf(servers.Redis70), c), c
}

// lineOf returns the line of a user in ACL LIST, without the word user and the name.
func lineOf(a *acl.List, name string) string {
	for _, line := range a.Lines() {
		if rest, ok := strings.CutPrefix(line, "user "+name+" "); ok {
			return rest
		}
	}
	return ""
}

// listed is what ACL LIST of redis-server 7.0.15 shows after ACL SETUSER with these rules.
func listed() [][2]string {
	return [][2]string{
		{"", "off resetchannels -@all"},
		{"on", "on resetchannels -@all"},
		{"on nopass", "on nopass resetchannels -@all"},
		{"on >pw", "on #" + hash + " resetchannels -@all"},
		{"on >pw nopass", "on nopass resetchannels -@all"},
		{"on nopass >pw", "on #" + hash + " resetchannels -@all"},
		{"on >pw >pw", "on #" + hash + " resetchannels -@all"},
		{"on >pw <pw", "on resetchannels -@all"},
		{"on >pw resetpass", "on resetchannels -@all"},
		{"on nopass resetpass", "on resetchannels -@all"},
		{"skip-sanitize-payload", "off skip-sanitize-payload resetchannels -@all"},
		{"sanitize-payload", "off sanitize-payload resetchannels -@all"},
		{"skip-sanitize-payload sanitize-payload", "off sanitize-payload resetchannels -@all"},
		{"+@all -get", "off resetchannels +@all -get"},
		{"+@all -@write", "off resetchannels +@all -@write"},
		{"+@read", "off resetchannels -@all +@read"},
		{"+@read -get", "off resetchannels -@all +@read -get"},
		{"-@all +get", "off resetchannels -@all +get"},
		{"+get +set -get", "off resetchannels -@all +set"},
		{"+GET", "off resetchannels -@all +get"},
		{"+config|get", "off resetchannels -@all +config|get"},
		{"+config -config|get", "off resetchannels -@all +config -config|get"},
		{"+select|0", "off resetchannels -@all +select|0"},
		{"+select|0 +select|1 +SELECT|0", "off resetchannels -@all +select|0 +select|1"},
		{"+select|0 +select", "off resetchannels -@all +select"},
		{"+@ALL", "off resetchannels +@all"},
		{"+@StrinG", "off resetchannels -@all +@string"},
		{"allcommands", "off resetchannels +@all"},
		{"allcommands nocommands", "off resetchannels -@all"},
		{"+@all nocommands +ping", "off resetchannels -@all +ping"},
		{"~a* ~b*", "off ~a* ~b* resetchannels -@all"},
		{"~a ~a", "off ~a resetchannels -@all"},
		{"%R~a", "off %R~a resetchannels -@all"},
		{"%W~a", "off %W~a resetchannels -@all"},
		{"%RW~a", "off ~a resetchannels -@all"},
		{"%r~a %w~a", "off ~a resetchannels -@all"},
		{"%R", "off %R~ resetchannels -@all"},
		{"~*", "off ~* resetchannels -@all"},
		{"~a allkeys", "off ~* resetchannels -@all"},
		{"%R~*", "off %R~* resetchannels -@all"},
		{"%RW~*", "off ~* resetchannels -@all"},
		{"allkeys resetkeys ~a", "off ~a resetchannels -@all"},
		{"~a resetkeys", "off resetchannels -@all"},
		{"~", "off ~ resetchannels -@all"},
		{"&a &b", "off resetchannels &a &b -@all"},
		{"&a &a", "off resetchannels &a -@all"},
		{"&*", "off &* -@all"},
		{"&a allchannels", "off &* -@all"},
		{"allchannels resetchannels", "off resetchannels -@all"},
		{"&", "off resetchannels & -@all"},
		{"(+get ~a)", "off resetchannels -@all (~a resetchannels -@all +get)"},
		{"(+get ~a )", "off resetchannels -@all (~a resetchannels -@all +get)"},
		{"( +get ~a )", "off resetchannels -@all (~a resetchannels -@all +get)"},
		{"()", "off resetchannels -@all (resetchannels -@all)"},
		{"(+get ~a) (+set ~b)", "off resetchannels -@all (~a resetchannels -@all +get) (~b resetchannels -@all +set)"},
		{"(+get ~a) clearselectors", "off resetchannels -@all"},
		{"(+get ~a) reset", "off sanitize-payload resetchannels -@all"},
		{"(%R~a &c +@hash -hget)", "off resetchannels -@all (%R~a resetchannels &c -@all +@hash -hget)"},
		{"on >pw ~a &b +get reset", "off sanitize-payload resetchannels -@all"},
		{"ON", "on resetchannels -@all"},
		{"~a +@all -@dangerous", "off ~a resetchannels +@all -@dangerous"},
		{"+@all -@all +get", "off resetchannels -@all +get"},
		{"+@all +get", "off resetchannels +@all"},
		{"-@all -get", "off resetchannels -@all"},
		{"+@fast -@all", "off resetchannels -@all"},
		{"+memory|usage +memory|doctor", "off resetchannels -@all +memory|doctor +memory|usage"},
		{"-config +config|set +config|get", "off resetchannels -@all +config|get +config|set"},
		{"+@pubsub -subscribe +client -client|kill", "off resetchannels -@all +@pubsub +client -client|kill -subscribe"},
		{"+@dangerous +@admin", "off resetchannels -@all +@dangerous"},
		{"+acl|whoami", "off resetchannels -@all +acl|whoami"},
		{"+get|key", "off resetchannels -@all +get|key"},
		{"+GET|Key", "off resetchannels -@all +get|Key"},
		{"+config|GET", "off resetchannels -@all +config|get"},
		{"&a resetchannels", "off resetchannels -@all"},
		{"+select|0 +@all", "off resetchannels +@all"},
		{"+select|0 +@all -@all", "off resetchannels -@all"},
		{"+select|0 -@all", "off resetchannels -@all"},
		{"+@set +@bitmap", "off resetchannels -@all +@set +@bitmap"},
		{"+@bitmap +@set -setbit", "off resetchannels -@all +@set +@bitmap -setbit"},
		{"+@all -@set -@bitmap", "off resetchannels +@all -@set -@bitmap"},
		{"+@keyspace -keys", "off resetchannels -@all +@keyspace -keys"},
		{"#" + hash + " >other !" + hash + " <other", "off resetchannels -@all"},
	}
}

func TestRulesMakeTheLineOfTheList(t *testing.T) {
	for _, c := range listed() {
		a, _ := newList()
		require.Empty(t, a.SetUser("u", strings.Fields(c[0])), c[0])
		require.Equal(t, c[1], lineOf(a, "u"), c[0])
	}
}

func TestTheLineOfTheListMakesTheSameUser(t *testing.T) {
	for _, c := range listed() {
		a, _ := newList()
		require.Empty(t, a.SetUser("u", strings.Fields(c[1])), c[0])
		require.Equal(t, c[1], lineOf(a, "u"), c[0])
	}
}

func TestAWrongRuleIsNamedAndChangesNothing(t *testing.T) {
	const (
		syntax      = "Syntax error"
		unknown     = "Unknown command or category name in ACL"
		subArgument = "Allowing first-arg of a subcommand is not supported"
		noPassword  = "The password you are trying to remove from the user does not exist"
		badHash     = "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters"
		addingAfter = "Adding a pattern after the * pattern (or the '"
		noEffect    = "' flag) is not valid and does not have any effect. Try '"
		allKeys     = addingAfter + "allkeys" + noEffect + "resetkeys' to start with an empty list of patterns"
		allChannels = addingAfter + "allchannels" + noEffect + "resetchannels' to start with an empty list of channels"
	)
	upper := strings.ToUpper(hash)
	for _, c := range []struct{ rules, modifier, problem string }{
		{"<pw", "<pw", noPassword},
		{"#zz", "#zz", badHash},
		{"+config|get|x", "+config|get|x", subArgument},
		{"+config|nosuch", "+config|nosuch", unknown},
		{"+select -select|0", "-select|0", unknown},
		{"-select|0", "-select|0", unknown},
		{"+select|", "+select|", syntax},
		{"+nosuch", "+nosuch", unknown},
		{"-nosuch", "-nosuch", unknown},
		{"+@nosuch", "+@nosuch", unknown},
		{"%RR~a", "%RR~a", syntax},
		{"%~a", "%~a", syntax},
		{"%X~a", "%X~a", syntax},
		{"%Ra", "%Ra", syntax},
		{"allkeys ~a", "~a", allKeys},
		{"allkeys %R~a", "%R~a", allKeys},
		{"~a\tb", "~a\tb", syntax},
		{"allchannels &a", "&a", allChannels},
		{"&a\tb", "&a\tb", syntax},
		{"+get)", "+get)", unknown},
		{"(+nosuch)", "(+nosuch)", unknown},
		{"(on)", "(on)", syntax},
		{"(>pw)", "(>pw)", syntax},
		{"(+get (~a) ~b)", "(+get (~a)", syntax},
		{"nosuch", "nosuch", syntax},
		{"+", "+", unknown},
		{"+client|list|x", "+client|list|x", subArgument},
		{"+sub|a", "+sub|a", unknown},
		{"#" + upper, "#" + upper, badHash},
		{"#" + hash + "0", "#" + hash + "0", badHash},
		{"!" + hash, "!" + hash, noPassword},
	} {
		a, _ := newList()
		require.Empty(t, a.SetUser("u", []string{"on", "~before", "+get"}))
		want := "ERR Error in ACL SETUSER modifier '" + c.modifier + "': " + c.problem
		rules := append([]string{"off", "resetkeys"}, strings.Split(c.rules, " ")...)
		require.Equal(t, want, a.SetUser("u", rules), c.rules)
		require.Equal(t, "on ~before resetchannels -@all +get", lineOf(a, "u"), c.rules)
		require.Equal(t, want, a.SetUser("new", rules), c.rules)
		require.Nil(t, a.Users["new"], c.rules)
	}
}

func TestASelectorMustBeClosed(t *testing.T) {
	for rules, start := range map[string]string{"(+get": "(+get", "(+get ~a": "(+get", "+set (+get ~a": "(+get", "(+get (~a": "(~a"} {
		a, _ := newList()
		want := "ERR Unmatched parenthesis in acl selector starting at '" + start + "'."
		require.Equal(t, want, a.SetUser("u", strings.Fields(rules)), rules)
		require.Nil(t, a.Users["u"], rules)
	}
}
