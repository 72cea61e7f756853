package commands

import (
	"testing"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestFieldEvents(t *testing.T) {
	testEventsOf(t, servers.Redis80, []eventCase{
		{"hset h a 1 b 2 c 3", "hset h"},
		{"hexpire h 100 fields 2 a zz", "hexpire h"},
		{"hexpire h 100 nx fields 1 a", ""},
		{"hpersist h fields 2 a b", "hpersist h"},
		{"hpersist h fields 1 b", ""},
		{"hexpire h 0 fields 1 c", "hdel h"},
		{"hgetex h fields 1 a", ""},
		{"hgetex h ex 100 fields 2 a zz", "hexpire h"},
		{"hgetex h persist fields 2 a b", "hpersist h"},
		{"hgetex h persist fields 2 a b", ""},
		{"hgetdel h fields 2 a zz", "hdel h"},
		{"hgetdel h fields 1 zz", ""},
		{"hgetex h pxat 0 fields 1 b", "hdel h,del h"},
		{"hsetex h fields 2 a 1 b 2", "hset h"},
		{"hsetex h ex 100 fields 2 a 1 b 2", "hset h,hexpire h"},
		{"hsetex h fnx fields 1 a 1", ""},
		{"hsetex h keepttl fields 1 a 1", "hset h"},
		{"hsetex h pxat 0 fields 1 a 1", "hset h,hdel h"},
		{"hpexpireat h 0 fields 1 b", "hdel h,del h"},
		{"hsetex n pxat 0 fields 1 a 1", "hset n,hdel n,del n"},
		{"hexpire none 10 fields 1 a", ""},
	})
}
