package repl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lineedit"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

func TestOptionWords(t *testing.T) {
	for line, want := range map[string]string{
		"SET k v ":                     "NX XX GET EX PX EXAT PXAT KEEPTTL",
		"set k v e":                    "ex exat",
		"SET k v E":                    "EX EXAT",
		"SET ":                         "",
		"set k ":                       "",
		"zadd z n":                     "nx",
		"LMPOP 1 l ":                   "LEFT RIGHT",
		"zrange z 0 1 ":                "byscore bylex rev limit withscores",
		"XADD s ":                      "NOMKSTREAM MAXLEN MINID",
		"SCAN 0 ":                      "MATCH COUNT TYPE",
		"GEOSEARCH g FROMLONLAT 1 2 ":  "BYRADIUS",
		"get k ":                       "",
		"nosuchcommand a ":             "",
		"BITFIELD k ":                  "GET SET OVERFLOW INCRBY",
		"CLIENT KILL ":                 "ID TYPE USER ADDR LADDR SKIPME",
		"client tracking ":             "on off",
		"xgroup create s g 0 ":         "mkstream entriesread",
		"object ":                      "encoding freq help idletime refcount",
		"EXPIRE k 10 ":                 "NX XX GT LT",
		"copy a b ":                    "db replace",
		"SORT k BY p LIMIT 0 1 GET # ": "GET ASC DESC ALPHA STORE",
	} {
		words := strings.Fields(line)
		if strings.HasSuffix(line, " ") {
			words = append(words, "")
		}
		require.ElementsMatch(t, strings.Fields(want), optionWords(engine.Commands{}, words), line)
	}
}

func TestParametersComplete(t *testing.T) {
	e := redmoontest.New(t)
	sess, err := e.NewSession()
	require.NoError(t, err)
	d := newDialogue(Options{Lines: lineedit.NewPlain(strings.NewReader("")), Commands: e.Commands(),
		Backend: &backend.Local{Engine: e.Engine, Session: sess}, Out: &strings.Builder{}})
	complete := func(line string) (all []string) {
		found, _ := (*assistant)(d).Complete(line)
		for _, c := range found {
			all = append(all, c.Value)
		}
		return all
	}
	require.ElementsMatch(t, []string{"maxmemory", "maxmemory-clients", "maxmemory-eviction-tenacity", "maxmemory-policy",
		"maxmemory-samples"}, complete("CONFIG GET maxmemory"))
	require.Equal(t, []string{"appendfsync"}, complete("config set appendfs"))
	require.Empty(t, complete("config set appendfsync al"), "a value, not a name")
	require.Contains(t, complete("config set appendfsync always maxmemory-p"), "maxmemory-policy")
	e.MustDo("SET", "exact", 1)
	require.Equal(t, []string{"exact"}, complete("get ex"))
	require.ElementsMatch(t, []string{"ex", "exat"}, complete("set k v ex"), "options, where no key can be")
}

// Help texts fit a terminal of any usual width.
func TestHelpFitsTheWidth(t *testing.T) {
	for _, width := range []int{70, 80, 100} {
		h := &helper{own: table(), width: func() int { return width }}
		texts := []string{h.help(""), h.help("@server"), h.help("set"), h.help(":break"), h.help("zrangestore")}
		for _, text := range texts {
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if strings.Contains(line, "|on command NAME|") || len(strings.Fields(line)) < 2 {
					continue // one word
				}
				require.LessOrEqual(t, len(line), width, line)
			}
		}
	}
}
