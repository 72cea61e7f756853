package geocmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/geohash"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// parse reads what follows the key of a search. When ok is false the reply is the error.
func (q *geoQuery) parse(c *server.Ctx, args []string) (errReply reply.Value, ok bool) {
	ok = true
	switch q.form {
	case geoByPlace:
		if q.shape.Center, errReply, ok = parsePoint(c, args[0], args[1]); ok {
			errReply, ok = q.parseRadius(c, args[2], args[3])
		}
		args = args[4:]
	case geoByMember:
		if q.zset != nil { // for a missing key Redis only checks the options
			if errReply, ok = q.centerOn(c, args[0]); ok {
				errReply, ok = q.parseRadius(c, args[1], args[2])
			}
		}
		args = args[3:]
	}
	for ok && len(args) > 0 {
		args, errReply, ok = q.parseOption(c, args)
	}
	if !ok {
		return errReply, false
	}
	return q.validate(c)
}

// parseOption reads the option that args begin with and returns what follows it.
func (q *geoQuery) parseOption(c *server.Ctx, args []string) (rest []string, errReply reply.Value, ok bool) {
	a := args[0]
	switch {
	case parse.IsToken(a, "withdist"):
		q.withDist = true
	case parse.IsToken(a, "withhash"):
		q.withHash = true
	case parse.IsToken(a, "withcoord"):
		q.withCoord = true
	case parse.IsToken(a, "any"):
		q.any = true
	case parse.IsToken(a, "asc"):
		q.order = 1
	case parse.IsToken(a, "desc"):
		q.order = -1
	case parse.IsToken(a, "count") && len(args) > 1:
		if q.count, ok = parse.Int(args[1]); !ok {
			return nil, reply.Err(errtext.NotInteger), false
		} else if q.count <= 0 {
			return nil, reply.Err("ERR COUNT must be > 0"), false
		}
		return args[2:], errReply, true
	case q.mayStore && len(args) > 1 && (parse.IsToken(a, "store") || parse.IsToken(a, "storedist")):
		q.store, q.storeKey, q.storeDist = true, args[1], parse.IsToken(a, "storedist")
		return args[2:], errReply, true
	case q.form == geoByOptions:
		return q.parseWhere(c, args)
	default:
		return nil, reply.Err(errtext.Syntax), false
	}
	return args[1:], errReply, true
}

// parseWhere is parseOption for the options that only GEOSEARCH has.
func (q *geoQuery) parseWhere(c *server.Ctx, args []string) (rest []string, errReply reply.Value, ok bool) {
	switch a := args[0]; {
	case q.store && parse.IsToken(a, "storedist"):
		q.storeDist = true
		return args[1:], errReply, true
	case parse.IsToken(a, "frommember") && len(args) > 1 && !q.hasPlace && !q.hasPolygon:
		q.hasCenter = true
		if q.zset != nil {
			if errReply, ok = q.centerOn(c, args[1]); !ok {
				return nil, errReply, false
			}
		}
		return args[2:], errReply, true
	case parse.IsToken(a, "fromlonlat") && len(args) > 2 && !q.hasCenter && !q.hasPolygon:
		q.hasPlace = true
		q.shape.Center, errReply, ok = parsePoint(c, args[1], args[2])
		return args[3:], errReply, ok
	case parse.IsToken(a, "byradius") && len(args) > 2 && !q.hasBox && !q.hasPolygon:
		q.hasRadius = true
		errReply, ok = q.parseRadius(c, args[1], args[2])
		return args[3:], errReply, ok
	case parse.IsToken(a, "bybox") && len(args) > 3 && !q.hasRadius && !q.hasPolygon:
		q.hasBox, q.shape.Box = true, true
		errReply, ok = q.parseBox(c, args[1], args[2], args[3])
		return args[4:], errReply, ok
	case c.Has(servers.Polygons) && parse.IsToken(a, "bypolygon") && len(args) > 2 && !q.hasRadius && !q.hasBox && !q.hasCenter &&
		!q.hasPlace:
		q.hasPolygon = true
		return q.parsePolygon(c, args[1:])
	}
	return nil, reply.Err(errtext.Syntax), false
}

// parsePolygon reads the number of vertices and the vertices, and returns what follows them.
func (q *geoQuery) parsePolygon(c *server.Ctx, args []string) (rest []string, errReply reply.Value, ok bool) {
	n, ok := parse.Int(args[0])
	if !ok || n != int64(int32(n)) {
		return nil, reply.Err("ERR invalid number of vertices"), false
	}
	if args = args[1:]; n < 3 || n > int64(len(args)/2) {
		return nil, reply.Err("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices"), false
	}
	vertices := make([]geohash.Point, n)
	for i := range vertices {
		if vertices[i], errReply, ok = parsePoint(c, args[2*i], args[2*i+1]); !ok {
			return nil, errReply, false
		}
	}
	q.shape = geohash.Polygon(vertices)
	return args[2*n:], errReply, true
}

var errNoShape = errtext.Usual("ERR exactly one of BYRADIUS and BYBOX can be specified for %s").
	Since("-/9.0.0", "ERR exactly one of BYRADIUS, BYBOX and BYPOLYGON can be specified for %s")

// validate checks the combination of options.
func (q *geoQuery) validate(c *server.Ctx) (errReply reply.Value, ok bool) {
	switch search := q.form == geoByOptions; {
	case q.store && (q.withDist || q.withHash || q.withCoord):
		who := "STORE option in GEORADIUS"
		if search {
			who = "GEOSEARCHSTORE"
		}
		return reply.Errorf("ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options", who), false
	case search && !q.hasCenter && !q.hasPlace && !q.hasPolygon:
		return reply.Errorf("ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for %s", c.Args[0]), false
	case search && !q.hasRadius && !q.hasBox && !q.hasPolygon:
		return reply.Errorf(errNoShape.Of(c.Server.Follows), c.Args[0]), false
	case q.any && q.count == 0:
		return reply.Err("ERR the ANY argument requires COUNT argument"), false
	}
	return errReply, true
}

// errNoPlace returns the error about a member that the sorted set does not have.
func errNoPlace(c *server.Ctx, member string) reply.Value {
	if c.Has(servers.MissingMemberNamed) {
		return reply.Err(errtext.OneLine("ERR member " + errtext.Cut(member, len(member)) + " does not exist"))
	}
	return reply.Err("ERR could not decode requested zset member")
}

func (q *geoQuery) centerOn(c *server.Ctx, member string) (errReply reply.Value, ok bool) {
	score, ok := q.zset.Score(member)
	if !ok {
		return errNoPlace(c, member), false
	}
	q.shape.Center = geohash.Locate(score)
	return errReply, true
}

func (q *geoQuery) parseRadius(c *server.Ctx, radius, unit string) (errReply reply.Value, ok bool) {
	if q.shape.Radius, ok = c.Float(radius); !ok {
		return reply.Err("ERR need numeric radius"), false
	}
	if q.shape.Radius < 0 {
		return reply.Err("ERR radius cannot be negative"), false
	}
	q.shape.Unit, errReply, ok = parseUnit(unit)
	return errReply, ok
}

func (q *geoQuery) parseBox(c *server.Ctx, width, height, unit string) (errReply reply.Value, ok bool) {
	if q.shape.Width, ok = c.Float(width); !ok {
		return reply.Err("ERR need numeric width"), false
	}
	if q.shape.Height, ok = c.Float(height); !ok {
		return reply.Err("ERR need numeric height"), false
	}
	if q.shape.Width < 0 || q.shape.Height < 0 {
		return reply.Err("ERR height or width cannot be negative"), false
	}
	q.shape.Unit, errReply, ok = parseUnit(unit)
	return errReply, ok
}
