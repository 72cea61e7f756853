package connectioncmds

import (
	"net"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// The letters that the filters FLAGS and CAPA know.
const (
	flagLetters = "ABEIMNOPRSTUbcdeirtux"
	capaLetters = "r"
)

// clientFilter says which sessions CLIENT KILL ends and CLIENT LIST shows. Each option is one test,
// and a session must pass all. An option that is given again replaces its test.
type clientFilter struct {
	tests  map[string]func(sess *server.Session) bool // by the name of the option in lower case
	ids    map[string][]int64                         // those of id and not-id, which add up
	skipMe bool
}

// matches reports whether a session passes. own is the session of the command.
func (f *clientFilter) matches(sess, own *server.Session) bool {
	if f.skipMe && sess == own {
		return false
	}
	for _, test := range f.tests {
		if !test(sess) {
			return false
		}
	}
	return true
}

// parseClientFilter reads the options of the command from the third word on. The reply is an error
// if one is wrong.
func parseClientFilter(c *server.Ctx, f *clientFilter) reply.Value {
	f.tests, f.ids = map[string]func(*server.Session) bool{}, map[string][]int64{}
	for i := 2; i < c.NArg(); {
		name, more := strings.ToLower(c.Args[i]), c.Args[i+1:]
		used := 1
		var v reply.Value
		switch known := knownFilter(c, name); {
		case known == "id" && c.Has(servers.ClientFilters):
			used, v = f.addIDs(name, more)
		case known == "" || len(more) == 0:
			v = reply.Err(errtext.Syntax)
		case known == "skipme":
			v = f.setSkipMe(more[0])
		default:
			var test func(*server.Session) bool
			if test, v = clientTest(c, known, c.Args[i], more[0]); !v.IsError() {
				f.set(name, test)
			}
		}
		if v.IsError() {
			return v
		}
		i += 1 + used
	}
	return reply.OK()
}

// knownFilter returns the name of an option without NOT-, or "" if the server has no such option.
func knownFilter(c *server.Ctx, name string) string {
	bare, negated := strings.CutPrefix(name, "not-")
	switch bare {
	case "id", "type", "user", "addr", "laddr":
		if !negated || c.Has(servers.MoreClientFilters) {
			return bare
		}
	case "flags", "name", "lib-name", "lib-ver", "db", "capa", "ip":
		if c.Has(servers.MoreClientFilters) {
			return bare
		}
	case "idle":
		if !negated && c.Has(servers.MoreClientFilters) {
			return bare
		}
	case "maxage":
		if !negated && c.Has(servers.KillByAge) {
			return bare
		}
	case "skipme":
		if !negated {
			return bare
		}
	}
	return ""
}

// set adds the test of an option, or its contrary if the name begins with NOT-.
func (f *clientFilter) set(name string, test func(*server.Session) bool) {
	if strings.HasPrefix(name, "not-") {
		f.tests[name] = func(sess *server.Session) bool { return !test(sess) }
		return
	}
	f.tests[name] = test
}

// addIDs adds the numbers at the beginning of words to those of ID or NOT-ID. There may be none.
func (f *clientFilter) addIDs(name string, words []string) (used int, v reply.Value) {
	for _, w := range words {
		id, ok := parse.Int(w)
		if !ok {
			break
		}
		if id <= 0 {
			return used, reply.Err(errClientID)
		}
		f.ids[name] = append(f.ids[name], id)
		used++
	}
	f.set(name, func(sess *server.Session) bool { return slices.Contains(f.ids[name], sess.ID) })
	return used, reply.OK()
}

func (f *clientFilter) setSkipMe(value string) reply.Value {
	switch strings.ToLower(value) {
	case "yes":
		f.skipMe = true
	case "no":
		f.skipMe = false
	default:
		return reply.Err(errtext.Syntax)
	}
	return reply.OK()
}

// clientTest returns the test of one option without NOT-. word is the option as the client wrote
// it.
func clientTest(c *server.Ctx, option, word, value string) (test func(*server.Session) bool, v reply.Value) {
	shown := errtext.OneLine(errtext.Cut(value, len(value)))
	named := strings.ToUpper(word)
	switch option {
	case "id":
		id, ok := parse.Int(value)
		if !ok || id <= 0 {
			return nil, reply.Err(errClientID)
		}
		return func(sess *server.Session) bool { return sess.ID == id }, v
	case "type":
		typ, ok := clientType(c, value)
		if !ok {
			return nil, reply.Errorf("ERR Unknown client type '%s'", shown)
		}
		return func(sess *server.Session) bool { return sess.ClientType() == typ }, v
	case "addr":
		return func(sess *server.Session) bool { return sess.Addr == value }, v
	case "laddr":
		return func(sess *server.Session) bool { return sess.LAddr == value }, v
	case "ip":
		return func(sess *server.Session) bool { return hostOf(sess.Addr) == value }, v
	case "user":
		user := c.Server.Access.Users[value]
		if user == nil {
			return nil, reply.Errorf("ERR No such user '%s'", shown)
		}
		return func(sess *server.Session) bool { return sess.User == user }, v
	case "name":
		return func(sess *server.Session) bool { return value != "" && sess.Name == value }, v
	case "lib-name":
		return func(sess *server.Session) bool { return value != "" && sess.LibName == value }, v
	case "lib-ver":
		return func(sess *server.Session) bool { return value != "" && sess.LibVer == value }, v
	case "maxage", "idle":
		n, ok := parse.Int(value)
		switch {
		case !ok:
			return nil, reply.Errorf("ERR %s is not an integer or out of range", option)
		case n <= 0:
			return nil, reply.Errorf("ERR %s should be greater than 0", option)
		case option == "idle":
			return func(sess *server.Session) bool { return c.Server.Idle(sess) >= n }, v
		}
		now := c.Now()
		return func(sess *server.Session) bool { return (now-sess.Created)/1000 >= n }, v
	case "db":
		n, ok := parse.Int(value)
		last := int64(c.Server.Store.Databases()) - 1
		switch {
		case !ok || n != int64(int32(n)):
			return nil, reply.Errorf("ERR %s is not an integer or out of range", named)
		case n < 0 || n > last:
			return nil, reply.Errorf("ERR %s number should be between 0 and %d", named, last)
		}
		return func(sess *server.Session) bool { return int64(sess.DB.ID()) == n }, v
	case "flags":
		return lettersTest(value, flagLetters, (*server.Session).Flags, "flags", named)
	default:
		return lettersTest(value, capaLetters, (*server.Session).Capabilities, "capa", named)
	}
}

// lettersTest returns the test whether a session has all letters of value.
func lettersTest(value, known string, of func(*server.Session) string, what, named string) (func(*server.Session) bool, reply.Value) {
	where := "provided"
	if strings.HasPrefix(named, "NOT-") {
		where = named
	}
	for _, letter := range []byte(value) {
		if strings.IndexByte(known, letter) < 0 {
			return nil, reply.Errorf("ERR Unknown %s found in the %s filter: %s", what, where, errtext.OneLine(errtext.Cut(value, len(value))))
		}
	}
	return func(sess *server.Session) bool {
		has := of(sess)
		for _, letter := range []byte(value) {
			if strings.IndexByte(has, letter) < 0 {
				return false
			}
		}
		return true
	}, reply.Value{}
}

// clientType returns the type of clients that a word names, as [server.Session.ClientType] writes
// it.
func clientType(c *server.Ctx, word string) (typ string, ok bool) {
	switch typ = strings.ToLower(word); typ {
	case "normal", "pubsub", "master", "replica":
		return typ, true
	case "slave":
		return "replica", true
	case "primary":
		return "master", c.Has(servers.Primaries)
	}
	return "", false
}

// hostOf returns an address without its port.
func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}
