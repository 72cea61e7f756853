package command

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"maps"
	"slices"
)

// User is a user of the access control list: who it is, and what it may do. A session points to its user, so that a
// change of the user reaches the session's next command.
type User struct {
	name      string
	flags     userFlag
	passwords []string    // SHA-256 in hex, in the order in which they were added
	selectors []*selector // the root selector first; a command passes when one of them lets it

	// restricted is false when some selector lets everything pass: then the gate has nothing to check.
	restricted bool
}

// userFlag is what a user is apart from its rules.
type userFlag uint8

const (
	userOn           userFlag = 1 << iota // can log in
	userNoPass                            // any password is right
	userSkipSanitize                      // payloads of RESTORE are not checked
	userSanitize
)

// userFlagNames gives the flags of a user in the order in which they are told.
func (f userFlag) names() []string {
	names := []string{"off"}
	if f&userOn != 0 {
		names[0] = "on"
	}
	if f&userNoPass != 0 {
		names = append(names, "nopass")
	}
	if f&userSkipSanitize != 0 {
		names = append(names, "skip-sanitize-payload")
	}
	if f&userSanitize != 0 {
		names = append(names, "sanitize-payload")
	}
	return names
}

// defaultUser is the name of the user that new sessions act as. It cannot be deleted.
const defaultUser = "default"

// access is the access control list: all users, and the log of what was denied.
type access struct {
	table  *Table
	config *Config
	users  map[string]*User
	first  *User          // default
	log    []*denialEntry // newest first
}

// newAccess returns a list with the default user, who may do everything.
func newAccess(t *Table, c *Config) *access {
	a := &access{table: t, config: c, users: map[string]*User{}}
	a.first = a.newUser(defaultUser)
	for _, rule := range []string{"on", "nopass", "allkeys", "allchannels", "allcommands"} {
		a.apply(a.first, rule)
	}
	a.put(a.first)
	return a
}

// newUser returns a user of no rights that is not in the list yet.
func (a *access) newUser(name string) *User {
	return &User{name: name, selectors: []*selector{a.newSelector()}}
}

// put lets a new or changed user count.
func (a *access) put(u *User) {
	u.restricted = !slices.ContainsFunc(u.selectors, func(s *selector) bool {
		return s.allCommands && s.allKeys && s.allChannels
	})
	a.users[u.name] = u
}

// names are the names of the users, sorted.
func (a *access) names() []string { return slices.Sorted(maps.Keys(a.users)) }

// open reports whether sessions act as the default user without a password.
func (a *access) open() bool { return a.first.flags&(userOn|userNoPass) == userOn|userNoPass }

// setDefaultPassword is what a change of requirepass does: the one password of the default user, or with "" none at all.
func (a *access) setDefaultPassword(password string) {
	a.apply(a.first, "resetpass")
	if password == "" {
		a.apply(a.first, "nopass")
	} else {
		a.apply(a.first, ">"+password)
	}
}

// login returns the user that the name and password are of, or nil when they are wrong or the user is off.
func (a *access) login(name, password string) *User {
	u := a.users[name]
	if u == nil || u.flags&userOn == 0 {
		return nil
	}
	if u.flags&userNoPass != 0 {
		return u
	}
	sum := []byte(hashPassword(password))
	for _, p := range u.passwords {
		if subtle.ConstantTimeCompare(sum, []byte(p)) == 1 {
			return u
		}
	}
	return nil
}

// hashPassword is the form in which a password is kept.
func hashPassword(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

// clone returns a copy that shares nothing with u.
func (u *User) clone() *User {
	c := *u
	c.passwords = slices.Clone(u.passwords)
	c.selectors = make([]*selector, len(u.selectors))
	for i, s := range u.selectors {
		c.selectors[i] = s.clone()
	}
	return &c
}

// setUser applies rules to the user of that name, who is made if need be: all of them or, when the text of a problem
// is returned, none.
func (a *access) setUser(name string, rules []string) (problem string) {
	u := a.users[name]
	next := a.newUser(name)
	if u != nil {
		next = u.clone()
	}
	rules, problem = mergeSelectors(rules)
	if problem != "" {
		return problem
	}
	for _, rule := range rules {
		if why := a.apply(next, rule); why != "" {
			return oneLine("ERR Error in ACL SETUSER modifier '" + cut(rule, len(rule)) + "': " + why)
		}
	}
	if u == nil {
		u = next
	} else {
		*u = *next
	}
	a.put(u)
	return ""
}

// dropSubscribers ends the sessions of a user that are subscribed to what the user may not use any more. was is the user before
// the change; a user who has lost no pattern keeps all sessions.
func (s *Server) dropSubscribers(u, was *User, current *Session) {
	var now []string
	for _, sel := range u.selectors {
		if sel.allChannels {
			return
		}
		now = append(now, sel.channels...)
	}
	if !slices.ContainsFunc(was.selectors, func(sel *selector) bool {
		return sel.allChannels || slices.ContainsFunc(sel.channels, func(p string) bool { return !slices.Contains(now, p) })
	}) {
		return
	}
	all := &selector{channels: now}
	for _, sess := range s.sessions {
		if sess.user != u || sess.Kill == nil {
			continue
		}
		for kind := range sess.topics {
			if slices.ContainsFunc(sess.topics[kind].list, func(name string) bool {
				return !all.allowsChannel(name, topicKind(kind) == onPattern)
			}) {
				s.hangUp(sess, current)
				break
			}
		}
	}
}

// userName is the name of the session's user.
func (sess *Session) userName() string {
	if sess.user == nil {
		return defaultUser
	}
	return sess.user.name
}

// dropUser ends the sessions of a deleted user. One that nothing can end becomes a session of the default user that has not
// logged in.
func (s *Server) dropUser(u *User, current *Session) {
	for _, sess := range s.sessions {
		if sess.user != u {
			continue
		}
		sess.user, sess.Authenticated = s.access.first, false
		if sess.Kill != nil {
			s.hangUp(sess, current)
		}
	}
}
