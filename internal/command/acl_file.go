package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

const errNoACLFile = "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command " +
	"and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration."

// LoadUsers makes path the file of users (the parameter aclfile) and takes the users from it. Caller must not have opened a
// session.
func (s *Server) LoadUsers(path string) error {
	s.Config.Fix("aclfile", path)
	loaded, problem := s.access.load(path)
	if problem != "" {
		return errors.New(problem)
	}
	s.replaceUsers(loaded, nil)
	return nil
}

// aclLoad takes the users from the file, all or, when anything is wrong with it, none.
func aclLoad(c *Ctx) reply.Value {
	path := c.Server.Config.Value("aclfile")
	if path == "" {
		return reply.Err(errNoACLFile)
	}
	loaded, problem := c.Server.access.load(path)
	if problem != "" {
		return reply.Err("ERR " + oneLine(problem))
	}
	c.Server.replaceUsers(loaded, c.Session)
	return reply.OK()
}

// replaceUsers puts the users of loaded in the place of those there are. The default user stays the same one, with other
// rules; the sessions of all others end.
func (s *Server) replaceUsers(loaded *access, current *Session) {
	a := s.access
	was := a.first.clone()
	*a.first = *loaded.first
	loaded.users[defaultUser] = a.first
	old := a.users
	a.users = loaded.users
	for _, u := range old {
		if u != a.first {
			s.dropUser(u, current)
		}
	}
	s.dropSubscribers(a.first, was, current)
}

// load reads a file of users into a list of its own. problem says in Redis's words what is wrong with the file, or is "".
func (a *access) load(path string) (loaded *access, problem string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Sprintf("Error loading ACLs, opening file '%s': %s", path, reason(err))
	}
	loaded = newAccess(a.table, a.config)
	seen := map[string]bool{}
	var faults strings.Builder
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.Trim(line, " \t\r\n")
		if line != "" {
			loaded.loadLine(&faults, seen, line, path, i+1)
		}
	}
	if faults.Len() > 0 {
		return nil, faults.String() + "WARNING: ACL errors detected, no change to the previously active ACL rules was performed"
	}
	return loaded, ""
}

// loadLine takes one line of a file, and adds what is wrong with it to faults.
func (a *access) loadLine(faults *strings.Builder, seen map[string]bool, line, path string, number int) {
	words := strings.Split(line, " ")
	if words[0] != "user" || len(words) < 2 {
		fmt.Fprintf(faults, "%s:%d should start with user keyword followed by the username. ", path, number)
		return
	}
	name := words[1]
	switch {
	case hasSpaces(name):
		fmt.Fprintf(faults, "'%s:%d: username '%s' contains invalid characters. ", path, number, name)
		return
	case seen[name]:
		fmt.Fprintf(faults, "WARNING: Duplicate user '%s' found on line %d. ", name, number)
		return
	}
	seen[name] = true
	rules, problem := mergeSelectors(words[2:])
	if problem != "" {
		fmt.Fprintf(faults, "%s:%d: Unmatched parenthesis in selector definition. ", path, number)
		return
	}
	u, told := a.newUser(name), false
	for _, rule := range rules {
		switch why := a.apply(u, rule); {
		case why == ruleUnknown: // these hold no secrets
			fmt.Fprintf(faults, "%s:%d: Error in applying operation '%s': %s. ", path, number, rule, why)
		case why != "" && !told:
			fmt.Fprintf(faults, "%s:%d: %s. ", path, number, why)
			told = true
		}
	}
	if name == defaultUser {
		*a.first = *u
		u = a.first
	}
	a.put(u)
}

// aclSave writes the users to the file, which changes in one step.
func aclSave(c *Ctx) reply.Value {
	path := c.Server.Config.Value("aclfile")
	if path == "" {
		return reply.Err(errNoACLFile)
	}
	if err := replaceFile(path, strings.Join(append(c.Server.access.lines(), ""), "\n")); err != nil {
		c.Server.Log.Warn("redmoon: ACL SAVE", "file", path, "error", err)
		return reply.Err("ERR There was an error trying to save the ACLs. Please check the server logs for more information")
	}
	return reply.OK()
}

// replaceFile writes a file of that text in the place of path.
func replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// reason is the error of a system call as C tells it: capitalized.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
