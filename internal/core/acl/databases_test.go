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

// The answers are those of ACL DRYRUN of Valkey 9.1.
func TestDatabasesAreChecked(t *testing.T) {
	table := cmdrows.TableOf(servers.Valkey91)
	for _, c := range []struct {
		rules, line string
		db          int
		want        string
	}{
		{"db=1,2", "get a", 0, "get database"},
		{"db=1,2", "get a", 1, "OK"},
		{"db=1,2", "ping", 0, "OK"},
		{"db=1,2", "select 3", 1, "3 database"},
		{"db=1,2", "select 2", 0, "OK"},
		{"db=1,2", "select 20", 0, "OK"},
		{"db=1,2", "copy a b db 3", 0, "3 database"},
		{"db=1,2", "copy a b db 1", 0, "copy database"},
		{"db=1,2", "copy a b db 3 foo", 1, "OK"},
		{"db=1,2", "move a 3", 1, "3 database"},
		{"db=1,2", "move a x", 0, "move database"},
		{"db=1,2", "swapdb 1 2", 0, "OK"},
		{"db=1,2", "swapdb 1 3", 0, "3 database"},
		{"db=1,2", "swapdb 3 x", 0, "OK"},
		{"db=1,2", "flushall", 1, "flushall database"},
		{"db=0,1,2,3", "flushall", 1, "OK"},
		{"resetdbs", "dbsize", 0, "dbsize database"},
		{"resetdbs alldbs", "dbsize", 0, "OK"},
		{"-get db=1", "get a", 0, "get database"},
		{"-get db=1", "get a", 1, "get command"},
		{"db=1 (+get ~s db=3)", "get a", 3, "a key"},
		{"db=1 (+get ~s db=3)", "get s", 3, "OK"},
		{"db=1 (+set)", "get s", 3, "get command"},
	} {
		a := acl.NewList(table, config.New(datastore.DefaultLimits(), servers.Valkey91))
		require.Empty(t, a.SetUser("u", strings.Fields("+@all ~* &* "+c.rules)), c.rules)
		args := strings.Fields(c.line)
		got := "OK"
		if why, at := a.Users["u"].Check(table.Resolve(args), args, acl.Place{DB: c.db, Count: 4}); why != acl.Allowed {
			kind := map[acl.Denial]string{acl.DeniedDatabase: " database", acl.DeniedCommand: " command", acl.DeniedKey: " key"}[why]
			got = acl.DeniedObject(why, table.Resolve(args), args, at) + kind
		}
		require.Equal(t, c.want, got, "%s: %s", c.rules, c.line)
	}
}

func TestOtherServersHaveNoRightsToDatabases(t *testing.T) {
	a, _ := newList()
	for _, rule := range []string{"alldbs", "resetdbs", "db=1"} {
		require.Equal(t, "ERR Error in ACL SETUSER modifier '"+rule+"': Syntax error", a.SetUser("u", []string{rule}))
	}
}
