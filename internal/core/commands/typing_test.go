package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestExpect(t *testing.T) {
	table := cmdrows.TableOf(servers.Redis70)
	for typed, want := range map[string]string{
		"GET":                      "0",
		"GET k":                    "-1",
		"SET k":                    "1",
		"SET k v":                  "2 NX XX GET EX PX EXAT PXAT KEEPTTL",
		"SET k v EX":               "4",
		"SET k v EX 10":            "2 NX XX GET",
		"SET k v nx":               "3 GET EX PX EXAT PXAT KEEPTTL",
		"DEL a":                    "0",
		"ZADD k":                   "1 NX XX GT LT CH INCR",
		"ZADD k 1":                 "5",
		"XADD k MAXLEN":            "2 = ~",
		"SET k v EX 1 2 3 4":       "-1",
		"XREAD COUNT 1 STREAMS":    "2",
		"ZRANGE k 0 -1 REV":        "3 BYSCORE BYLEX LIMIT WITHSCORES",
		"CONFIG GET":               "0",
		"GEOSEARCH k FROMMEMBER a": "2 BYRADIUS BYBOX",
	} {
		words := strings.Fields(typed)
		spec := table.Resolve(words)
		args := words[1:]
		if spec.Parent != nil {
			args = words[2:]
		}
		e := spec.Expect(args)
		got := fmt.Sprint(e.Place)
		for _, token := range e.Tokens {
			got += " " + token.Word
		}
		assert.Equal(t, want, got, typed)
	}
}
