package acl

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/config"
	"github.com/redmoon-lua/redmoon/internal/errtext"
)

// User is a user of the access control list: who it is, and what it may do. A session points to its
// user, so that a change of the user reaches the session's next command.
type User struct {
	Name      string
	Flags     UserFlag
	Passwords []string    // SHA-256 in hex, in the order in which they were added
	Selectors []*Selector // the root selector first; a command passes when one of them lets it

	// restricted is false when some selector lets everything pass: then the gate has nothing to check.
	Restricted bool
}

// UserFlag is what a user is apart from its rules.
type UserFlag uint8

const (
	userOn           UserFlag = 1 << iota // can log in
	UserNoPass                            // any password is right
	userSkipSanitize                      // payloads of RESTORE are not checked
	userSanitize
)

// userFlagNames gives the flags of a user in the order in which they are reported.
func (f UserFlag) Names() []string {
	names := []string{"off"}
	if f&userOn != 0 {
		names[0] = "on"
	}
	if f&UserNoPass != 0 {
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

// DefaultUser is the name of the user that new sessions act as. It cannot be deleted.
const DefaultUser = "default"

// access is the access control list: all users, and the log of what was denied.
type List struct {
	table   *cmdtable.Table
	config  *config.Config
	Users   map[string]*User
	Default *User          // default
	Log     []*DenialEntry // newest first
}

// NewList returns a list with the default user, who may do everything.
func NewList(t *cmdtable.Table, c *config.Config) *List {
	a := &List{table: t, config: c, Users: map[string]*User{}}
	a.Default = a.NewUser(DefaultUser)
	for _, rule := range []string{"on", "nopass", "allkeys", "allchannels", "allcommands"} {
		a.Apply(a.Default, rule)
	}
	a.put(a.Default)
	return a
}

// NewUser returns a user of no rights that is not in the list yet.
func (a *List) NewUser(name string) *User {
	return &User{Name: name, Selectors: []*Selector{a.newSelector()}}
}

// put lets a new or changed user count.
func (a *List) put(u *User) {
	u.Restricted = !slices.ContainsFunc(u.Selectors, func(s *Selector) bool {
		return s.allCommands && s.allKeys && s.AllChannels
	})
	a.Users[u.Name] = u
}

// names are the names of the users, sorted.
func (a *List) Names() []string { return slices.Sorted(maps.Keys(a.Users)) }

// open reports whether sessions act as the default user without a password.
func (a *List) NeedsNoPassword() bool {
	return a.Default.Flags&(userOn|UserNoPass) == userOn|UserNoPass
}

// SetDefaultPassword is what a change of requirepass does: the one password of the default user, or
// with "" none at all.
func (a *List) SetDefaultPassword(password string) {
	a.Apply(a.Default, "resetpass")
	if password == "" {
		a.Apply(a.Default, "nopass")
	} else {
		a.Apply(a.Default, ">"+password)
	}
}

// login returns the user with that name and password, or nil if they are wrong or the user
// is off.
func (a *List) Login(name, password string) *User {
	u := a.Users[name]
	if u == nil || u.Flags&userOn == 0 {
		return nil
	}
	if u.Flags&UserNoPass != 0 {
		return u
	}
	sum := []byte(hashPassword(password))
	for _, p := range u.Passwords {
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
func (u *User) Clone() *User {
	c := *u
	c.Passwords = slices.Clone(u.Passwords)
	c.Selectors = make([]*Selector, len(u.Selectors))
	for i, s := range u.Selectors {
		c.Selectors[i] = s.clone()
	}
	return &c
}

// SetUser applies rules to the user of that name, who is made if need be: all of them or, when the
// text of a problem is returned, none.
func (a *List) SetUser(name string, rules []string) (problem string) {
	u := a.Users[name]
	next := a.NewUser(name)
	if u != nil {
		next = u.Clone()
	}
	rules, problem = MergeSelectors(rules)
	if problem != "" {
		return problem
	}
	for _, rule := range rules {
		if why := a.Apply(next, rule); why != "" {
			return errtext.OneLine("ERR Error in ACL SETUSER modifier '" + errtext.Cut(rule, len(rule)) + "': " + why)
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

// UserLine is a directive user: the name and the rules.
type UserLine []string

// AddUser adds a user of the configuration file to the list. What the default user was before does
// not count.
func (a *List) AddUser(line UserLine) error {
	name := line[0]
	if HasSpaces(name) {
		return fmt.Errorf("user '%s': no spaces are allowed in names", name)
	}
	u := a.NewUser(name)
	if name == DefaultUser {
		a.Apply(u, "reset")
	}
	rules, _ := MergeSelectors(line[1:])
	for _, rule := range rules {
		if why := a.Apply(u, rule); why != "" {
			return fmt.Errorf("ACL rule '%s' of the user %s: %s", rule, name, why)
		}
	}
	if name == DefaultUser {
		*a.Default = *u
		u = a.Default
	}
	a.put(u)
	return nil
}
