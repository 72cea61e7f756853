package server

import (
	"errors"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
)

// forbidden reports whether the session's user may not run the command. It costs nothing for a user
// without restrictions.
func (s *Server) forbidden(sess *Session, spec *cmdtable.Spec, args []string) bool {
	if sess.User == nil || !sess.User.Restricted {
		return false
	}
	why, _ := sess.User.Check(spec, args, s.PlaceOf(sess))
	return why != acl.Allowed
}

// PlaceOf returns the database of a session, for the check of rights.
func (s *Server) PlaceOf(sess *Session) acl.Place {
	return acl.Place{DB: sess.DB.ID(), Count: s.Store.Databases()}
}

// deny logs that the session's user may not run a command and returns the error in the form that
// the door uses.
func (s *Server) deny(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) string {
	why, at := sess.User.Check(spec, args, s.PlaceOf(sess))
	s.LogDenial(sess, door, why, sess.User.Name, acl.DeniedObject(why, spec, args, at))
	words := deniedIn[why]
	switch {
	case door.FromScript():
		words = deniedInScript[why]
	case door == cmdtable.DoorExec:
		words = deniedInExec[why]
	}
	return strings.NewReplacer("NAME", spec.FullName(), "USER", sess.User.Name).Replace(words.Of(s.Follows))
}

// The texts of denials, by their reason. NAME stands for the command, USER for the user.
var (
	deniedIn = map[acl.Denial]errtext.Text{
		acl.DeniedDatabase: errtext.Usual("NOPERM No permissions to access database"),
		acl.DeniedCommand: errtext.Usual("NOPERM this user has no permissions to run the 'NAME' command").
			Since("7.2.0", "NOPERM User USER has no permissions to run the 'NAME' command"),
		acl.DeniedKey: errtext.Usual("NOPERM this user has no permissions to access one of the keys used as arguments").
			Since("7.2.0", "NOPERM No permissions to access a key"),
		acl.DeniedChannel: errtext.Usual("NOPERM this user has no permissions to access one of the channels used as arguments").
			Since("7.2.0", "NOPERM No permissions to access a channel"),
	}
	deniedInScript = map[acl.Denial]errtext.Text{
		acl.DeniedDatabase: errtext.Usual("ERR ACL failure in script: No permissions to access database"),
		acl.DeniedCommand: errtext.Usual("ERR The user executing the script can't run this command or subcommand").
			Since("7.2.0", "ERR ACL failure in script: User USER has no permissions to run the 'NAME' command"),
		acl.DeniedKey: errtext.Usual("ERR The user executing the script can't access at least one of the keys mentioned in the command "+
			"arguments").Since("7.2.0", "ERR ACL failure in script: No permissions to access a key"),
		acl.DeniedChannel: errtext.Usual("ERR The user executing the script can't publish to the channel mentioned in the command").
			Since("7.2.0", "ERR ACL failure in script: No permissions to access a channel"),
	}
	deniedInExec = map[acl.Denial]errtext.Text{
		acl.DeniedDatabase: errtext.Usual(rulesChanged + "no permission"),
		acl.DeniedCommand:  errtext.Usual(rulesChanged + "no permission to execute the command or subcommand"),
		acl.DeniedKey:      errtext.Usual(rulesChanged + "no permission to touch the specified keys"),
		acl.DeniedChannel:  errtext.Usual(rulesChanged + "no permission to access one of the channels used as arguments"),
	}
)

const rulesChanged = "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. " +
	"This command is no longer allowed for the following reason: "

// MayRun reports whether the session's user may run a command line, and whether the command exists.
func (s Control) MayRun(sess *Session, args []string) (may, known bool) {
	spec := s.Table.Resolve(args)
	if spec == nil || len(spec.Subs) > 0 && len(args) > 1 {
		return false, false
	}
	return !s.forbidden(sess, spec, args), true
}

// LoadUsers makes path the ACL file (the parameter aclfile) and loads the users from it. Caller
// must not have opened a session.
func (s Control) LoadUsers(path string) error {
	s.Config.Fix("aclfile", path)
	loaded, problem := s.Access.Load(path)
	if problem != "" {
		return errors.New(problem)
	}
	s.ReplaceUsers(loaded, nil)
	return nil
}

// ReplaceUsers replaces all users by those of loaded. The default user stays the same object with
// new rules; the sessions of all other users end.
func (s *Server) ReplaceUsers(loaded *acl.List, current *Session) {
	a := s.Access
	was := a.Default.Clone()
	*a.Default = *loaded.Default
	loaded.Users[acl.DefaultUser] = a.Default
	old := a.Users
	a.Users = loaded.Users
	for _, u := range old {
		if u != a.Default {
			s.DropUser(u, current)
		}
	}
	s.DropSubscribers(a.Default, was, current)
}

// LogDenial adds a denial to ACL LOG.
func (s *Server) LogDenial(sess *Session, door cmdtable.Door, why acl.Denial, username, object string) {
	context := "toplevel"
	switch {
	case door.FromScript():
		context = "lua"
	case sess.Queueing || door == cmdtable.DoorExec:
		context = "multi"
	}
	if sess.Caller != nil {
		sess = sess.Caller
	}
	s.Stats.Denied[why]++
	a := s.Access
	entry := &acl.DenialEntry{Count: 1, Why: why, Context: context, Object: object, Username: username,
		At: s.Store.Now(), Client: s.Describe(sess)}
	for i, old := range a.Log[:min(acl.LogGroupEntries, len(a.Log))] {
		if old.Why == why && old.Context == context && old.Object == object && old.Username == username &&
			entry.At-old.At <= acl.LogGroupTime {
			entry.Count += old.Count
			entry.ID, entry.Created = old.ID, old.Created
			copy(a.Log[1:i+1], a.Log[:i])
			a.Log[0] = entry
			return
		}
	}
	entry.ID, entry.Created = a.Logged, entry.At
	a.Logged++
	a.Log = append([]*acl.DenialEntry{entry}, a.Log...)
	a.Log = a.Log[:min(int64(len(a.Log)), s.Config.Int("acllog-max-len"))]
}

// DropSubscribers ends the sessions of a user that are subscribed to channels which the user may no
// longer use. was is the user before the change. If the user has lost no pattern, all sessions
// stay.
func (s *Server) DropSubscribers(u, was *acl.User, current *Session) {
	var now []string
	for _, sel := range u.Selectors {
		if sel.AllChannels {
			return
		}
		now = append(now, sel.Channels...)
	}
	if !slices.ContainsFunc(was.Selectors, func(sel *acl.Selector) bool {
		return sel.AllChannels || slices.ContainsFunc(sel.Channels, func(p string) bool { return !slices.Contains(now, p) })
	}) {
		return
	}
	all := &acl.Selector{Channels: now}
	for _, sess := range s.Clients.ByID {
		if sess.User != u || sess.Kill == nil {
			continue
		}
		for kind := range sess.Topics {
			if slices.ContainsFunc(sess.Topics[kind].List, func(name string) bool {
				return !all.AllowsChannel(name, TopicKind(kind) == OnPattern)
			}) {
				s.HangUp(sess, current)
				break
			}
		}
	}
}

// UserName returns the name of the session's user.
func (r *rights) UserName() string {
	if r.User == nil {
		return acl.DefaultUser
	}
	return r.User.Name
}

// MayDebug reports whether the user of sess may debug the scripts of the client with this id: it is
// the client's user too, or has no restrictions.
func (s Control) MayDebug(sess *Session, client int64) bool {
	switch of := s.Clients.ByID[client]; {
	case sess.gone || !sess.Authenticated:
		return false
	case sess.User == nil || !sess.User.Restricted:
		return true
	default:
		return of != nil && of.User == sess.User
	}
}

// DropUser ends the sessions of a deleted user. A session that cannot be ended becomes an
// unauthenticated session of the default user.
func (s *Server) DropUser(u *acl.User, current *Session) {
	for _, sess := range s.Clients.ByID {
		if sess.User != u {
			continue
		}
		sess.User, sess.Authenticated = s.Access.Default, false
		if sess.Kill != nil {
			s.HangUp(sess, current)
		}
	}
}
