package geocmds

import (
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/geohash"
	"github.com/redmoon-lua/redmoon/internal/core/commands/keycmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/zsetcmds"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// geoForm says which arguments a search command takes.
type geoForm uint8

const (
	geoByOptions geoForm = iota // FROMMEMBER or FROMLONLAT, BYRADIUS or BYBOX; or BYPOLYGON
	geoByPlace                  // longitude, latitude and radius follow the key
	geoByMember                 // member and radius follow the key
)

// geoQuery is a parsed search.
type geoQuery struct {
	form       geoForm
	mayStore   bool // STORE and STOREDIST are options
	zset       *datastore.ZSet
	shape      geohash.Shape
	hasCenter  bool // FROMMEMBER
	hasPlace   bool // FROMLONLAT
	hasRadius  bool
	hasBox     bool
	hasPolygon bool

	withDist, withHash, withCoord bool
	order                         int   // 1: nearest first, -1: farthest first, 0: as found
	count                         int64 // 0: all
	any                           bool  // stop when count are found

	store     bool
	storeKey  string
	storeDist bool
}

func geosearch(c *server.Ctx) reply.Value { return geoSearch(c, &geoQuery{}, 1, c.Args[2:]) }

func geosearchstore(c *server.Ctx) reply.Value {
	return geoSearch(c, &geoQuery{store: true, storeKey: c.Args[1]}, 2, c.Args[3:])
}

func georadius(c *server.Ctx) reply.Value {
	return geoSearch(c, &geoQuery{form: geoByPlace, mayStore: true}, 1, c.Args[2:])
}

func georadiusRO(c *server.Ctx) reply.Value {
	return geoSearch(c, &geoQuery{form: geoByPlace}, 1, c.Args[2:])
}

func georadiusbymember(c *server.Ctx) reply.Value {
	return geoSearch(c, &geoQuery{form: geoByMember, mayStore: true}, 1, c.Args[2:])
}

func georadiusbymemberRO(c *server.Ctx) reply.Value {
	return geoSearch(c, &geoQuery{form: geoByMember}, 1, c.Args[2:])
}

// geoSearch searches the sorted set whose key is argument source; args are the arguments behind it.
func geoSearch(c *server.Ctx, q *geoQuery, source int, args []string) reply.Value {
	z, err := readGeo(c, c.Args[source])
	if err != nil {
		return server.WrongType()
	}
	q.zset = z
	if e, ok := q.parse(c, args); !ok {
		return e
	}
	if z == nil {
		if q.store {
			return zsetcmds.StoreResult(c, "", q.storeKey, c.Server.Store.NewZSet(nil))
		}
		return reply.Array()
	}
	if q.count != 0 && q.order == 0 && !q.any {
		q.order = 1
	}
	found := q.find()
	n := len(found)
	if q.count > 0 {
		n = int(min(int64(n), q.count))
	}
	q.sort(found, n)
	if q.store {
		return q.storeFound(c, found[:n])
	}
	return q.answer(c, found[:n])
}

// geoFound is a member within the shape.
type geoFound struct {
	place    geohash.Point
	distance float64 // metres
	score    float64
	member   string
}

// find collects the members in the shape, cell by cell.
func (q *geoQuery) find() []geoFound {
	var found []geoFound
	cells := q.shape.Cells()
	enough := func() bool { return q.any && q.count > 0 && int64(len(found)) >= q.count }
	last := 0
	for i, cell := range cells {
		// In a large shape several neighbors may be the same cell. As in Redis the first one is not
		// compared.
		if cell.None() || last > 0 && cell == cells[last] {
			continue
		}
		if enough() {
			break
		}
		from, to := q.zset.ScoreSpan(cellScores(cell))
		q.zset.Ascend(from, to-from, func(it datastore.ZItem) bool {
			place := geohash.Locate(it.Score)
			if d, within := q.shape.Distance(place); within {
				found = append(found, geoFound{place, d, it.Score, it.Member})
			}
			return !enough()
		})
		last = i
	}
	return found
}

func cellScores(cell geohash.Cell) datastore.ScoreRange {
	from, to := cell.Scores()
	return datastore.ScoreRange{Min: from, Max: to, MaxEx: true}
}

// sort puts the first n of found into the requested order.
func (q *geoQuery) sort(found []geoFound, n int) {
	if q.order == 0 {
		return
	}
	compare := func(a, b geoFound) int {
		switch {
		case a.distance > b.distance:
			return q.order
		case a.distance == b.distance:
			return 0
		}
		return -q.order
	}
	if n == len(found) {
		slices.SortStableFunc(found, compare)
	} else {
		keycmds.SortPart(found, compare, 0, n-1)
	}
}

func (q *geoQuery) storeFound(c *server.Ctx, found []geoFound) reply.Value {
	items := make([]datastore.ZItem, len(found))
	for i, f := range found {
		items[i] = datastore.ZItem{Score: f.score, Member: f.member}
		if q.storeDist {
			items[i].Score = f.distance / q.shape.Unit
		}
	}
	event := "georadiusstore"
	if q.form == geoByOptions {
		event = "geosearchstore"
	}
	return zsetcmds.StoreResult(c, event, q.storeKey, c.Server.Store.NewZSet(items))
}

func (q *geoQuery) answer(c *server.Ctx, found []geoFound) reply.Value {
	out := make([]reply.Value, len(found))
	for i, f := range found {
		out[i] = reply.Bulk(f.member)
		if !q.withDist && !q.withHash && !q.withCoord {
			continue
		}
		row := make([]reply.Value, 1, 4)
		row[0] = out[i]
		if q.withDist {
			row = append(row, distanceReply(f.distance/q.shape.Unit))
		}
		if q.withHash {
			row = append(row, reply.Int(geohash.ToInteger(f.score)))
		}
		if q.withCoord {
			row = append(row, pointReply(c, f.place))
		}
		out[i] = reply.Array(row...)
	}
	return reply.Array(out...)
}
