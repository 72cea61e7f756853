package geocmds

import (
	"math"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/servers"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/geohash"
	"github.com/redmoon-lua/redmoon/internal/core/commands/zsetcmds"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// readGeo looks up the sorted set of positions under key. As in Redis it counts as a lookup, also
// in commands that may store.
func readGeo(c *server.Ctx, key string) (*datastore.ZSet, error) {
	z, err := c.DB.ZSet(key)
	c.CountLookup(z != nil || err != nil, key)
	return z, err
}

// parsePoint reads longitude and latitude.
func parsePoint(c *server.Ctx, lon, lat string) (p geohash.Point, errReply reply.Value, ok bool) {
	if p.Longitude, ok = c.Float(lon); ok {
		p.Latitude, ok = c.Float(lat)
	}
	switch {
	case !ok:
		return p, reply.Err(errtext.NotFloat), false
	case !p.Valid():
		return p, reply.Errorf("ERR invalid longitude,latitude pair %s,%s", sixDecimals(p.Longitude), sixDecimals(p.Latitude)), false
	}
	return p, reply.Value{}, true
}

// sixDecimals writes f as C's "%f".
func sixDecimals(f float64) string {
	if f-f != 0 {
		return reply.FormatDouble(f)
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}

// parseUnit returns how many metres a unit has.
func parseUnit(arg string) (metres float64, errReply reply.Value, ok bool) {
	switch {
	case parse.IsToken(arg, "m"):
		return 1, reply.Value{}, true
	case parse.IsToken(arg, "km"):
		return 1000, reply.Value{}, true
	case parse.IsToken(arg, "ft"):
		return 0.3048, reply.Value{}, true
	case parse.IsToken(arg, "mi"):
		return 1609.34, reply.Value{}, true
	}
	return 0, reply.Err("ERR unsupported unit provided. please use M, KM, FT, MI"), false
}

func geoadd(c *server.Ctx) reply.Value {
	args := c.Args[2:]
	var o zsetcmds.AddOptions
options:
	for ; len(args) > 0; args = args[1:] {
		switch a := args[0]; {
		case parse.IsToken(a, "nx"):
			o.Nx = true
		case parse.IsToken(a, "xx"):
			o.Xx = true
		case parse.IsToken(a, "ch"):
			o.Ch = true
		default:
			break options
		}
	}
	if len(args) == 0 || len(args)%3 != 0 || o.Nx && o.Xx {
		return reply.Err(errtext.Syntax)
	}
	items := make([]datastore.ZItem, len(args)/3)
	for i := range items {
		p, e, ok := parsePoint(c, args[3*i], args[3*i+1])
		if !ok {
			return e
		}
		items[i] = datastore.ZItem{Score: geohash.Score(p), Member: args[3*i+2]}
	}
	if c.HasEffects() {
		add := append([]string{"zadd"}, c.Args[1:c.NArg()-len(args)]...)
		for _, it := range items {
			add = append(add, strconv.FormatInt(int64(it.Score), 10), it.Member)
		}
		c.EffectIs(add...)
	}
	return zsetcmds.AddItems(c, o, items)
}

// placeOf returns the position of a member; z may be nil.
func placeOf(z *datastore.ZSet, member string) (p geohash.Point, ok bool) {
	if z == nil {
		return p, false
	}
	score, ok := z.Score(member)
	if !ok {
		return p, false
	}
	return geohash.Locate(score), true
}

func geodist(c *server.Ctx) reply.Value {
	unit := 1.0
	if c.NArg() == 5 {
		var e reply.Value
		var ok bool
		if unit, e, ok = parseUnit(c.Args[4]); !ok {
			return e
		}
	} else if c.NArg() > 5 {
		return reply.Err(errtext.Syntax)
	}
	z, err := readGeo(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	a, ok := placeOf(z, c.Args[2])
	b, ok2 := placeOf(z, c.Args[3])
	if !ok || !ok2 {
		return reply.Nil()
	}
	return distanceReply(geohash.Distance(a, b) / unit)
}

// distanceReply formats a distance with four decimals. As in Redis the number of ten-thousandths is
// rounded, which matters for values half-way between two of them.
func distanceReply(d float64) reply.Value {
	n := geohash.ToInteger(math.RoundToEven(d * 10000))
	u, b := uint64(n), make([]byte, 0, 24)
	if n < 0 {
		u, b = -u, append(b, '-')
	}
	b = strconv.AppendUint(b, u/10000, 10)
	b = append(b, '.', byte('0'+u/1000%10), byte('0'+u/100%10), byte('0'+u/10%10), byte('0'+u%10))
	return reply.Bulk(string(b))
}

func geohashCmd(c *server.Ctx) reply.Value {
	return eachPlace(c, reply.Nil(), func(p geohash.Point) reply.Value { return reply.Bulk(geohash.Text(p)) })
}

func geopos(c *server.Ctx) reply.Value {
	return eachPlace(c, reply.NilArray(), func(p geohash.Point) reply.Value { return pointReply(c, p) })
}

// eachPlace replies with a value for each given member, and with missing for members that do not
// exist.
func eachPlace(c *server.Ctx, missing reply.Value, show func(geohash.Point) reply.Value) reply.Value {
	z, err := readGeo(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	out := make([]reply.Value, c.NArg()-2)
	for i, member := range c.Args[2:] {
		if p, ok := placeOf(z, member); ok {
			out[i] = show(p)
		} else {
			out[i] = missing
		}
	}
	return reply.Array(out...)
}

func pointReply(c *server.Ctx, p geohash.Point) reply.Value {
	if c.Has(servers.ShortPoints) {
		return reply.Array(reply.Short(p.Longitude), reply.Short(p.Latitude))
	}
	return reply.Array(reply.Decimal(p.Longitude), reply.Decimal(p.Latitude))
}
