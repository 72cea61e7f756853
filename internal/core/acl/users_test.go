package acl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/acl"
)

func TestOnlyTheRightPasswordOfAUserWhoIsOnLogsIn(t *testing.T) {
	for _, c := range []struct {
		rules, password string
		want            bool
	}{
		{"on >pw", "pw", true},
		{"on >pw", "PW", false},
		{"on >pw", "", false},
		{"on >pw", hash, false},
		{"on >a >pw >b", "b", true},
		{"on >a >pw <a", "a", false},
		{"on #" + hash, "pw", true},
		{"off >pw", "pw", false},
		{"off nopass", "pw", false},
		{"on", "", false},
		{"on nopass", "any", true},
		{"on >pw nopass", "any", true},
		{"on nopass >pw", "any", false},
		{"on nopass resetpass", "any", false},
		{"on >", "", true},
	} {
		a, _ := newList()
		require.Empty(t, a.SetUser("u", strings.Fields(c.rules)), c.rules)
		require.Equal(t, c.want, a.Login("u", c.password) == a.Users["u"], "%s: %s", c.rules, c.password)
		require.Nil(t, a.Login("U", c.password), "names have a case")
	}
}

// The parameter requirepass sets the password of the default user.
func TestTheDefaultUserHasOnePasswordOrNone(t *testing.T) {
	a, _ := newList()
	require.True(t, a.NeedsNoPassword())
	require.Equal(t, "on nopass ~* &* +@all", lineOf(a, "default"))
	a.SetDefaultPassword("old")
	a.SetDefaultPassword("pw")
	require.False(t, a.NeedsNoPassword())
	require.Equal(t, "on #"+hash+" ~* &* +@all", lineOf(a, "default"))
	a.SetDefaultPassword("")
	require.True(t, a.NeedsNoPassword())
	require.Empty(t, a.SetUser("default", []string{"off"}))
	require.False(t, a.NeedsNoPassword())
	require.Same(t, a.Default, a.Users["default"])
}

func TestNewUsersMayUseAllChannelsIfTheParameterSaysSo(t *testing.T) {
	a, config := newList()
	require.NoError(t, config.Fix("acl-pubsub-default", "allchannels"))
	require.Empty(t, a.SetUser("u", []string{"(+get)"}))
	require.Equal(t, "off &* -@all (&* -@all +get)", lineOf(a, "u"))
	require.Empty(t, a.SetUser("u", []string{"resetchannels", "&a", "reset"}))
	require.Equal(t, "off sanitize-payload &* -@all", lineOf(a, "u"))
}

func TestRulesChangeTheUserThatSessionsHave(t *testing.T) {
	a, _ := newList()
	require.Empty(t, a.SetUser("u", []string{"on", "+get"}))
	u := a.Users["u"]
	was := u.Clone()
	require.Empty(t, a.SetUser("u", []string{">pw", "~a", "&c", "+select|1", "(+set)"}))
	require.Same(t, u, a.Users["u"])
	require.Equal(t, "on #"+hash+" ~a resetchannels &c -@all +get +select|1 (resetchannels -@all +set)", lineOf(a, "u"))
	a.Users["u"] = was
	require.Equal(t, "on resetchannels -@all +get", lineOf(a, "u"), "the clone shares nothing")
}

func TestACloneOfAUserSharesNothing(t *testing.T) {
	a, _ := newList()
	require.Empty(t, a.SetUser("u", []string{"%R~a", "&c", "+select|1", ">pw"}))
	line, clone := lineOf(a, "u"), a.Users["u"].Clone()
	for _, rule := range []string{"%W~a", "&d", "+select|2", "+get", ">other", "<pw", "(+set)"} {
		require.Empty(t, a.Apply(clone, rule))
	}
	require.Equal(t, line, lineOf(a, "u"))
}

// user is a directive of redis.conf.
func TestUsersOfAConfigurationFile(t *testing.T) {
	for _, c := range []struct{ line, want, problem string }{
		{"a", "off resetchannels -@all", ""},
		{"a on >pw ~x* &c +@read", "on #" + hash + " ~x* resetchannels &c -@all +@read", ""},
		{"a (~x +get) on", "on resetchannels -@all (~x resetchannels -@all +get)", ""},
		{"default on +get", "on sanitize-payload resetchannels -@all +get", ""},
		{"a on nosuch", "", "ACL rule 'nosuch' of the user a: Syntax error"},
		{"a +nosuch", "", "ACL rule '+nosuch' of the user a: Unknown command or category name in ACL"},
	} {
		a, _ := newList()
		err := a.AddUser(strings.Fields(c.line))
		if c.problem != "" {
			require.EqualError(t, err, c.problem)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, lineOf(a, strings.Fields(c.line)[0]), c.line)
	}
	a, _ := newList()
	require.EqualError(t, a.AddUser(acl.UserLine{"a b", "on"}), "user 'a b': no spaces are allowed in names")
	require.NoError(t, a.AddUser(acl.UserLine{"default", "off"}))
	require.Same(t, a.Default, a.Users["default"])
}

// loadText loads a file with this text into a new list.
func loadText(t *testing.T, text string) (lines []string, problem string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users.acl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	a, _ := newList()
	require.Empty(t, a.SetUser("before", nil))
	loaded, problem := a.Load(path)
	require.Equal(t, []string{"before", "default"}, a.Names(), "the list itself does not change")
	if loaded == nil {
		return nil, strings.ReplaceAll(problem, path, "F")
	}
	return loaded.Lines(), problem
}

func TestACLFiles(t *testing.T) {
	const free = "user default on nopass ~* &* +@all"
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{free}},
		{"user b\nuser a on ~x +get", []string{"user a on ~x resetchannels -@all +get", "user b off resetchannels -@all", free}},
		{"\n  \n\tuser a  on\t   \t+get\r \r\n \t \nuser b", []string{
			"user a on resetchannels -@all +get", "user b off resetchannels -@all", free}},
		{"user a (+get ~x\t) on", []string{"user a on resetchannels -@all (~x resetchannels -@all +get)", free}},
		{"user default off", []string{"user default off resetchannels -@all"}},
		{"user default on >pw ~a", []string{"user default on #" + hash + " ~a resetchannels -@all"}},
	} {
		lines, problem := loadText(t, c.text)
		require.Empty(t, problem, c.text)
		require.Equal(t, c.want, lines, c.text)
	}
}

// The texts come from ACL LOAD of redis-server 7.0.15, which reports every wrong line.
func TestMistakesInACLFiles(t *testing.T) {
	const (
		end   = "WARNING: ACL errors detected, no change to the previously active ACL rules was performed"
		after = "F:1: Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. " +
			"Try 'resetkeys' to start with an empty list of patterns. "
	)
	on := func(line, rule string) string {
		return "F:" + line + ": Error in applying operation '" + rule + "': Unknown command or category name in ACL. "
	}
	for text, want := range map[string]string{
		"user":                       "F:1 should start with user keyword followed by the username. ",
		"\nusr a on":                 "F:2 should start with user keyword followed by the username. ",
		"user\ta on":                 "F:1 should start with user keyword followed by the username. ",
		"user a\tb on":               "'F:1: username 'a\tb' contains invalid characters. ",
		"user  a on":                 "F:1: Syntax error. ",
		"user a on\nuser a off":      "WARNING: Duplicate user 'a' found on line 2. ",
		"user a nosuch":              "F:1: Syntax error. ",
		"user a +nosuch -nosuch":     on("1", "+nosuch") + on("1", "-nosuch"),
		"user a +x ~* ~a nosuch":     on("1", "+x") + after,
		"user a ~* ~a\nno\nuser b +": after + "F:2 should start with user keyword followed by the username. " + on("3", "+"),
		"user a (+get ~x\nuser b no": "F:1: Unmatched parenthesis in selector definition.F:2: Syntax error. ",
		"user a #zz":                 "F:1: The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters. ",
	} {
		lines, problem := loadText(t, text)
		require.Nil(t, lines, text)
		require.Equal(t, want+end, problem, text)
	}
}

func TestAnACLFileThatCannotBeRead(t *testing.T) {
	a, _ := newList()
	path := filepath.Join(t.TempDir(), "nosuch")
	_, problem := a.Load(path)
	require.Equal(t, "Error loading ACLs, opening file '"+path+"': No such file or directory", problem)
}

func TestTheDefaultUserOfAFileIsTheDefaultUserOfTheList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.acl")
	require.NoError(t, os.WriteFile(path, []byte("user default on >pw ~a"), 0o600))
	a, _ := newList()
	loaded, problem := a.Load(path)
	require.Empty(t, problem)
	require.Same(t, loaded.Default, loaded.Users["default"])
	require.True(t, loaded.Default.Restricted)
	require.False(t, loaded.NeedsNoPassword())
}

func TestCategoriesAreFoundInAnyCase(t *testing.T) {
	require.NotZero(t, acl.CategoryOf("sortedset"))
	require.Equal(t, acl.CategoryOf("sortedset"), acl.CategoryOf("SortedSet"))
	for _, name := range []string{"", "all", "@read", "zset"} {
		require.Zero(t, acl.CategoryOf(name), name)
	}
}

func TestNamesThatAFileCannotHold(t *testing.T) {
	for name, want := range map[string]bool{
		"": false, "a": false, "a-b:c": false, "é": false,
		" ": true, "a b": true, "a\n": true, "\ta": true, "a\rb": true, "a\x00b": true, "\v": true, "\f": true,
	} {
		require.Equal(t, want, acl.HasSpaces(name), "%q", name)
	}
}
