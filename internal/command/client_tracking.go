package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// There is no tracking of the keys that clients cache: what follows answers for a session that does
// not use them.

func clientGetRedir(*Ctx) reply.Value { return reply.Int(-1) }

func clientTrackingInfo(*Ctx) reply.Value {
	return reply.Map(reply.Bulk("flags"), reply.Set(reply.Bulk("off")), reply.Bulk("redirect"), reply.Int(-1),
		reply.Bulk("prefixes"), reply.Array())
}

func clientCaching(*Ctx) reply.Value {
	return reply.Err("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
}

// clientTracking checks its arguments as Redis does; OFF changes nothing, and ON is refused.
func clientTracking(c *Ctx) reply.Value {
	var bcast, optin, optout bool
	var prefixes []string
	for i := 3; i < c.NArg(); i++ {
		more := i+1 < c.NArg()
		switch arg := strings.ToLower(c.Args[i]); {
		case arg == "redirect" && more:
			i++
			id, ok := parseInt(c.Args[i])
			if !ok {
				return reply.Err(errNotInteger)
			}
			if c.Server.sessions[id] == nil {
				return reply.Err("ERR The client ID you want redirect to does not exist")
			}
		case arg == "bcast":
			bcast = true
		case arg == "optin":
			optin = true
		case arg == "optout":
			optout = true
		case arg == "noloop":
		case arg == "prefix" && more:
			i++
			prefixes = append(prefixes, c.Args[i])
		default:
			return reply.Err(errSyntax)
		}
	}
	switch strings.ToLower(c.Args[2]) {
	case "off":
		return reply.OK()
	case "on":
	default:
		return reply.Err(errSyntax)
	}
	switch {
	case !bcast && len(prefixes) > 0:
		return reply.Err("ERR PREFIX option requires BCAST mode to be enabled")
	case bcast && (optin || optout):
		return reply.Err("ERR OPTIN and OPTOUT are not compatible with BCAST")
	case optin && optout:
		return reply.Err("ERR You can't specify both OPTIN mode and OPTOUT mode")
	}
	return reply.Err("ERR CLIENT TRACKING is not supported")
}
