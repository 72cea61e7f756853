package acl

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/config"
)

// User is a user of the access control list with its rights. A session points to its user, so that
// a change of the user affects the session's next command.
type User struct {
	Name      string
	Flags     UserFlag
	Passwords []string    // SHA-256 in hex, in the order in which they were added
	Selectors []*Selector // the root selector first; one of them must allow a command

	// Restricted is false when a selector allows everything. The gate skips its check then.
	Restricted bool
}

// UserFlag is a property of a user that is not a rule about commands, keys or channels.
type UserFlag uint8

const (
	userOn           UserFlag = 1 << iota // can log in
	UserNoPass                            // any password is accepted
	userSkipSanitize                      // payloads of RESTORE are not checked
	userSanitize
)

// Names returns the names of the flags in the order of ACL LIST.
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

// DefaultUser is the name of the user of new sessions. It cannot be deleted.
const DefaultUser = "default"

// List is the access control list: all users, and the log of denials.
type List struct {
	table   *cmdtable.Table
	config  *config.Config
	Users   map[string]*User
	Default *User          // the user DefaultUser
	Log     []*DenialEntry // newest first
	Logged  int64          // number of entries that the log has ever had
}

// NewList returns a list with only the default user, which may do everything.
func NewList(t *cmdtable.Table, c *config.Config) *List {
	a := &List{table: t, config: c, Users: map[string]*User{}}
	a.Default = a.NewUser(DefaultUser)
	for _, rule := range []string{"on", "nopass", "allkeys", "allchannels", "allcommands"} {
		a.Apply(a.Default, rule)
	}
	a.put(a.Default)
	return a
}

// NewUser returns a user without rights. It is not in the list.
func (a *List) NewUser(name string) *User {
	u := &User{Name: name, Selectors: []*Selector{a.newSelector()}}
	if a.table.Server().Has(servers.NewUsersSanitize) {
		a.Apply(u, "sanitize-payload")
	}
	return u
}

// put adds or updates a user in the list.
func (a *List) put(u *User) {
	u.Restricted = !slices.ContainsFunc(u.Selectors, func(s *Selector) bool {
		return s.allCommands && s.allKeys && s.AllChannels && !s.someDBs
	})
	a.Users[u.Name] = u
}

// Names returns the names of the users, sorted.
func (a *List) Names() []string { return slices.Sorted(maps.Keys(a.Users)) }

// NeedsNoPassword reports whether new sessions are authenticated as the default user without a
// password.
func (a *List) NeedsNoPassword() bool {
	return a.Default.Flags&(userOn|UserNoPass) == userOn|UserNoPass
}

// SetDefaultPassword sets the only password of the default user, or removes all with "". A change
// of requirepass calls it.
func (a *List) SetDefaultPassword(password string) {
	a.Apply(a.Default, "resetpass")
	if password == "" {
		a.Apply(a.Default, "nopass")
	} else {
		a.Apply(a.Default, ">"+password)
	}
}

// Login returns the user with this name and password, or nil when they are wrong or the user is
// off.
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

// hashPassword returns the form in which a password is stored.
func hashPassword(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

// Clone returns a deep copy.
func (u *User) Clone() *User {
	c := *u
	c.Passwords = slices.Clone(u.Passwords)
	c.Selectors = make([]*Selector, len(u.Selectors))
	for i, s := range u.Selectors {
		c.Selectors[i] = s.clone()
	}
	return &c
}

// SetUser applies rules to the user of that name, which it creates if missing. If it returns a
// problem, it has changed nothing.
func (a *List) SetUser(name string, rules []string) (problem string) {
	u := a.Users[name]
	next := a.NewUser(name)
	if u != nil {
		next = u.Clone()
	}
	rules, problem = a.MergeSelectors(rules)
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

// UserLine is the directive user of a configuration file: the name and the rules.
type UserLine []string

// AddUser adds a user of the configuration file to the list. The line replaces all earlier rules of
// the default user.
func (a *List) AddUser(line UserLine) error {
	name := line[0]
	if HasSpaces(name) {
		return fmt.Errorf("user '%s': no spaces are allowed in names", name)
	}
	u := a.NewUser(name)
	if name == DefaultUser {
		a.Apply(u, "reset")
	}
	rules, _ := a.MergeSelectors(line[1:])
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
