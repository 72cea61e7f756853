package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

func clientGetRedir(c *Ctx) reply.Value { return reply.Int(c.Session.track.redirection()) }

func clientTrackingInfo(c *Ctx) reply.Value {
	t := c.Session.track
	if t == nil {
		t = &tracker{}
	}
	state := "off"
	if t.on {
		state = "on"
	}
	flags := []string{state}
	add := func(is bool, flag string) {
		if is {
			flags = append(flags, flag)
		}
	}
	add(t.broadcast, "bcast")
	add(t.optIn, "optin")
	add(t.optIn && t.caching, "caching-yes")
	add(t.optOut, "optout")
	add(t.optOut && t.caching, "caching-no")
	add(t.noLoop, "noloop")
	add(t.broken, "broken_redirect")
	return reply.Map(reply.Bulk("flags"), reply.Set(bulks(flags)...), reply.Bulk("redirect"), reply.Int(t.redirection()),
		reply.Bulk("prefixes"), reply.Bulks(t.prefixes...))
}

// clientCaching says for the next command, or transaction, what OPTIN and OPTOUT leave open.
func clientCaching(c *Ctx) reply.Value {
	t := c.Session.track
	if t == nil || !t.on {
		return reply.Err("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	}
	switch strings.ToLower(c.Args[2]) {
	case "yes":
		if !t.optIn {
			return reply.Err("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
		}
	case "no":
		if !t.optOut {
			return reply.Err("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
		}
	default:
		return reply.Err(errSyntax)
	}
	t.caching = true
	return reply.OK()
}

// clientTracking turns tracking on, with all options anew but for prefixes, which are added; or off.
func clientTracking(c *Ctx) reply.Value {
	want, errv := c.trackingOptions()
	if errv.IsError() {
		return errv
	}
	switch strings.ToLower(c.Args[2]) {
	case "off":
		c.Server.endTracking(c.Session)
		return reply.OK()
	case "on":
	default:
		return reply.Err(errSyntax)
	}
	if text := want.conflict(c.Session.track); text != "" {
		return reply.Err(text)
	}
	c.Server.beginTracking(c.Session, want)
	return reply.OK()
}

// trackingOptions reads what follows ON or OFF.
func (c *Ctx) trackingOptions() (want tracker, errReply reply.Value) {
	for i := 3; i < c.NArg(); i++ {
		more := i+1 < c.NArg()
		switch arg := strings.ToLower(c.Args[i]); {
		case arg == "redirect" && more:
			i++
			if want.redirect != 0 {
				return want, reply.Err("ERR A client can only redirect to a single other client")
			}
			id, ok := parseInt(c.Args[i])
			if !ok {
				return want, reply.Err(errNotInteger)
			}
			if c.Server.sessions[id] == nil {
				return want, reply.Err("ERR The client ID you want redirect to does not exist")
			}
			want.redirect = id
		case arg == "bcast":
			want.broadcast = true
		case arg == "optin":
			want.optIn = true
		case arg == "optout":
			want.optOut = true
		case arg == "noloop":
			want.noLoop = true
		case arg == "prefix" && more:
			i++
			want.prefixes = append(want.prefixes, c.Args[i])
		default:
			return want, reply.Err(errSyntax)
		}
	}
	return want, reply.Value{}
}

// conflict tells why the options cannot be had, together or after those that are now in force (nil: none).
func (t *tracker) conflict(now *tracker) string {
	if now == nil {
		now = &tracker{}
	}
	switch {
	case !t.broadcast && len(t.prefixes) > 0:
		return "ERR PREFIX option requires BCAST mode to be enabled"
	case now.on && now.broadcast != t.broadcast:
		return "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode."
	case t.broadcast && (t.optIn || t.optOut):
		return "ERR OPTIN and OPTOUT are not compatible with BCAST"
	case t.optIn && t.optOut:
		return "ERR You can't specify both OPTIN mode and OPTOUT mode"
	case t.optIn && now.optOut, t.optOut && now.optIn:
		return "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode."
	}
	return t.overlap(now.prefixes)
}

// overlap tells which of the prefixes begins like another, or like one of those there are.
func (t *tracker) overlap(present []string) string {
	for i, prefix := range t.prefixes {
		for _, other := range present {
			if overlap(prefix, other) {
				return errOverlap(prefix, "an existing prefix", other)
			}
		}
		for _, other := range t.prefixes[i+1:] {
			if overlap(prefix, other) {
				return errOverlap(prefix, "another provided prefix", other)
			}
		}
	}
	return ""
}

func overlap(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] == b[:n]
}

func errOverlap(prefix, with, other string) string {
	return oneLine("ERR Prefix '" + cut(prefix, len(prefix)) + "' overlaps with " + with + " '" + cut(other, len(other)) +
		"'. Prefixes for a single client must not overlap.")
}

// beginTracking puts want, whose options agree with those now in force, into force.
func (s *Server) beginTracking(sess *Session, want tracker) {
	if sess.track == nil {
		sess.track = &tracker{}
	}
	t := sess.track
	if !t.on {
		s.tracking.clients++
		s.tracking.active = true
	}
	prefixes := want.prefixes
	if want.broadcast && len(prefixes) == 0 {
		prefixes = []string{""}
	}
	want.on, want.caching, want.prefixes = true, t.caching, t.prefixes
	*t = want
	for _, prefix := range prefixes {
		s.tracking.join(prefix, sess)
	}
	s.observe()
}
