package wild

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Redmoon cannot be subscribed to and lets no client wait. Packages need both to work at all, so the proxy does it:
//
//   - A connection that subscribes talks to the oracle alone from then on.
//   - PUBLISH goes to the oracle; Redmoon gets a command that answers 0, the number of its subscribers. In a script that
//     publishes, Redmoon's copy begins with a redis table whose call and pcall answer 0 for PUBLISH. (So an error of
//     redis.call would name line 1: programs do not provoke one in such scripts.)
//   - BRPOPLPUSH waits in the proxy, which tries RPOPLPUSH on both servers again after every request.
//
// TestStandInsAreNeeded fails as soon as Redmoon has one of them.

// noSubscribers answers the number of keys that nobody has made: 0.
var noSubscribers = request{"EXISTS", "no such key: nobody has subscribed"}

// quietPublish is put before a script that publishes, on its first line so that line numbers stay.
const quietPublish = `local redis=(function(r) local function quiet(f) return function(c,...) ` +
	`if type(c)=='string' and string.lower(c)=='publish' then return 0 end return f(c,...) end end ` +
	`return setmetatable({call=quiet(r.call),pcall=quiet(r.pcall)},{__index=r}) end)(redis) `

func sha1Hex(s string) string {
	sum := sha1.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// scripts are the texts that a server has been given, by SHA1 in lower case.
type scripts map[string]string

// quiet returns the text that Redmoon gets for a script.
func quiet(text string) string {
	if strings.Contains(strings.ToLower(text), "publish") {
		return quietPublish + text
	}
	return text
}

// learn remembers the script that a request brings along.
func (s scripts) learn(r request) {
	if i := r.script(); i > 0 && !r.bySHA() {
		s[sha1Hex(r[i])] = r[i]
	}
}

// forRedmoon returns what is sent to Redmoon for a request, and a function that makes of its reply what the
// client must see.
func (s scripts) forRedmoon(r request) (request, func([]byte) []byte) {
	asItIs := func(b []byte) []byte { return b }
	if r.is("PUBLISH") {
		return noSubscribers, asItIs
	}
	i := r.script()
	if i == 0 {
		return r, asItIs
	}
	r = slices.Clone(r)
	var hashes []string // Redmoon's and the client's, in turn
	for ; i < len(r); i++ {
		sha, text := sha1Hex(r[i]), r[i]
		if r.bySHA() {
			sha = strings.ToLower(r[i])
			text = s[sha]
		}
		if q := quiet(text); q != text {
			hashes = append(hashes, sha1Hex(q), sha)
			r[i] = q
			if r.bySHA() {
				r[i] = sha1Hex(q)
			}
		}
		if !r.is("SCRIPT EXISTS") {
			break
		}
	}
	return r, func(b []byte) []byte {
		for h := range slices.Chunk(hashes, 2) {
			b = bytes.ReplaceAll(b, []byte(h[0]), []byte(h[1]))
		}
		return b
	}
}

// subscribes reports whether a connection only receives from this request on.
func subscribes(r request) bool { return r.is("SUBSCRIBE") || r.is("PSUBSCRIBE") }

// timedOut is the reply to a BRPOPLPUSH that waited in vain.
const timedOut = "*-1\r\n"

// wait carries out BRPOPLPUSH. The caller holds p.mu, which is released while it waits.
func (p *Proxy) wait(s *session, r request) ([]byte, error) {
	if len(r) != 4 {
		return nil, fmt.Errorf("the proxy cannot wait for %s", r)
	}
	d, err := time.ParseDuration(r[3] + "s")
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(d)
	if d > 0 {
		defer time.AfterFunc(d, p.wake).Stop()
	}
	for {
		reply, err := p.ask(s, request{"RPOPLPUSH", r[1], r[2]})
		if err != nil || !isNull(reply) {
			p.changed.Broadcast()
			return reply, err
		}
		if d > 0 && !time.Now().Before(deadline) {
			return []byte(timedOut), nil
		}
		if s.gone || p.closed {
			return nil, errGone
		}
		p.changed.Wait()
	}
}

func isNull(reply []byte) bool {
	return bytes.HasPrefix(reply, []byte("$-1")) || bytes.HasPrefix(reply, []byte("_")) || bytes.HasPrefix(reply, []byte("*-1"))
}
