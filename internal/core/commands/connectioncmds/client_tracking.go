package connectioncmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func clientGetRedir(c *server.Ctx) reply.Value { return reply.Int(c.Session.Track.Redirection()) }

func clientTrackingInfo(c *server.Ctx) reply.Value {
	t := c.Session.Track
	if t == nil {
		t = &server.Tracker{}
	}
	state := "off"
	if t.On {
		state = "on"
	}
	flags := []string{state}
	add := func(is bool, flag string) {
		if is {
			flags = append(flags, flag)
		}
	}
	add(t.Broadcast, "bcast")
	add(t.OptIn, "optin")
	add(t.OptIn && t.Caching, "caching-yes")
	add(t.OptOut, "optout")
	add(t.OptOut && t.Caching, "caching-no")
	add(t.NoLoop, "noloop")
	add(t.Broken, "broken_redirect")
	return reply.Map(reply.Bulk("flags"), reply.Set(server.Bulks(flags)...), reply.Bulk("redirect"), reply.Int(t.Redirection()),
		reply.Bulk("prefixes"), reply.Bulks(t.Prefixes...))
}

// clientCaching sets whether the next command or transaction is tracked, in the modes OPTIN and
// OPTOUT.
func clientCaching(c *server.Ctx) reply.Value {
	t := c.Session.Track
	if t == nil || !t.On {
		return reply.Err("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	}
	switch strings.ToLower(c.Args[2]) {
	case "yes":
		if !t.OptIn {
			return reply.Err("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
		}
	case "no":
		if !t.OptOut {
			return reply.Err("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
		}
	default:
		return reply.Err(errtext.Syntax)
	}
	t.Caching = true
	return reply.OK()
}

// clientTracking turns tracking off, or on with new options. Prefixes are added to those of earlier
// calls.
func clientTracking(c *server.Ctx) reply.Value {
	want, errv := trackingOptions(c)
	if errv.IsError() {
		return errv
	}
	switch strings.ToLower(c.Args[2]) {
	case "off":
		c.Server.EndTracking(c.Session)
		return reply.OK()
	case "on":
	default:
		return reply.Err(errtext.Syntax)
	}
	if text := want.Conflict(c.Session.Track); text != "" {
		return reply.Err(text)
	}
	c.Server.BeginTracking(c.Session, want)
	return reply.OK()
}

// trackingOptions reads what follows ON or OFF.
func trackingOptions(c *server.Ctx) (want server.Tracker, errReply reply.Value) {
	for i := 3; i < c.NArg(); i++ {
		more := i+1 < c.NArg()
		switch arg := strings.ToLower(c.Args[i]); {
		case arg == "redirect" && more:
			i++
			if want.Redirect != 0 {
				return want, reply.Err("ERR A client can only redirect to a single other client")
			}
			id, ok := parse.Int(c.Args[i])
			if !ok {
				return want, reply.Err(errtext.NotInteger)
			}
			if c.Server.Clients.ByID[id] == nil {
				return want, reply.Err("ERR The client ID you want redirect to does not exist")
			}
			want.Redirect = id
		case arg == "bcast":
			want.Broadcast = true
		case arg == "optin":
			want.OptIn = true
		case arg == "optout":
			want.OptOut = true
		case arg == "noloop":
			want.NoLoop = true
		case arg == "prefix" && more:
			i++
			want.Prefixes = append(want.Prefixes, c.Args[i])
		default:
			return want, reply.Err(errtext.Syntax)
		}
	}
	return want, reply.Value{}
}
