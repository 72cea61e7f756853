package miniredis

// everything are the ACL rules of a user who may do everything.
var everything = []string{"on", "resetpass", "~*", "&*", "+@all"}

// RequireAuth makes clients authenticate with the password, as the user default; "" ends this.
func (m *Miniredis) RequireAuth(pw string) { m.RequireUserAuth("default", pw) }

// RequireUserAuth lets a user authenticate with a password, and makes clients authenticate as one
// of the users that it was called for, also those that are connected, unless they have
// authenticated before. An empty password removes the user. The users may run all commands, unless
// the test restricts them with ACL SETUSER.
func (m *Miniredis) RequireUserAuth(username, pw string) {
	m.tested.Lock()
	defer m.tested.Unlock()
	if pw == "" {
		delete(m.passwords, username)
	} else {
		m.passwords[username] = pw
	}
	m.secret.Store(len(m.passwords) > 0)
	m.atomically(func(t tx) error {
		var err error
		switch {
		case pw != "":
			err = t.setUser(username, ">"+pw)
		case username != "default":
			err = asError(t.do("ACL", "DELUSER", username))
		}
		if err != nil {
			return err
		}
		if _, ok := m.passwords["default"]; ok {
			return nil
		}
		if len(m.passwords) == 0 {
			return t.setUser("default", "nopass")
		}
		return t.setUser("default", "off")
	})
}

func (t tx) setUser(name string, rules ...string) error {
	args := append([]string{"ACL", "SETUSER", name}, everything...)
	return asError(t.do(append(args, rules...)...))
}
