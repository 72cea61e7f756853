package server

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// followIn sets the rules of encodings in which servers differ.
func followIn(l *datastore.Limits, s servers.Server) {
	l.ShortScores = s.Has(servers.ShortDoubles)
	l.CompactLists = s.Has(servers.CompactLists)
	l.CompactSets = s.Has(servers.CompactSets)
	l.NumberFirst = s.Has(servers.NumberFirst)
	l.LengthFirst = s.Has(servers.LengthFirst)
	l.LargeTimedHashes = s.Has(servers.LargeTimed)
	l.DeliveryOrder = s.Has(servers.ReadsIdle)
	l.GapsFromRead = s.Has(servers.GapsFromRead)
	l.GroupsFromFirst = s.Has(servers.GroupsFromFirst)
	l.UnknownBeforeDeleted = s.Has(servers.UnknownBeforeDeleted)
}
