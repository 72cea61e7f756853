package acl

import (
	"fmt"
	"os"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// ErrNoACLFile is the error of ACL LOAD and SAVE without an ACL file.
var ErrNoACLFile = errtext.Usual(noACLFile("Redis ")).Since("-/8.0.0", noACLFile(""))

// noACLFile returns that error with the name of the server.
func noACLFile(server string) string {
	return "ERR This " + server + "instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER " +
		"command and then issue a CONFIG REWRITE (assuming you have a " + server + "configuration file set) in order to store users in " +
		"the " + server + "configuration."
}

// Load reads an ACL file into a new list. problem is Redis's text about what is wrong with the
// file, or "".
func (a *List) Load(path string) (loaded *List, problem string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Sprintf("Error loading ACLs, opening file '%s': %s", path, files.Strerror(err))
	}
	loaded = NewList(a.table, a.config)
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

// loadLine reads one line of a file, and appends what is wrong with it to faults.
func (a *List) loadLine(faults *strings.Builder, seen map[string]bool, line, path string, number int) {
	words := strings.Split(line, " ")
	if words[0] != "user" || len(words) < 2 {
		fmt.Fprintf(faults, "%s:%d should start with user keyword followed by the username. ", path, number)
		return
	}
	name := words[1]
	switch {
	case HasSpaces(name):
		fmt.Fprintf(faults, "'%s:%d: username '%s' contains invalid characters. ", path, number, name)
		return
	case seen[name]:
		fmt.Fprintf(faults, "WARNING: Duplicate user '%s' found on line %d. ", name, number)
		return
	}
	seen[name] = true
	rules, problem := a.MergeSelectors(words[2:])
	if problem != "" {
		fmt.Fprintf(faults, "%s:%d: Unmatched parenthesis in selector definition.", path, number)
		return
	}
	u, reported := a.NewUser(name), false
	for _, rule := range rules {
		rule = strings.Trim(rule, "\t\r\n")
		switch why := a.Apply(u, rule); {
		case why == RuleUnknown: // such a rule does not contain a password
			fmt.Fprintf(faults, "%s:%d: Error in applying operation '%s': %s. ", path, number, rule, why)
		case why != "" && !reported:
			fmt.Fprintf(faults, "%s:%d: %s. ", path, number, why)
			reported = true
		}
	}
	if name == DefaultUser {
		*a.Default = *u
		u = a.Default
	}
	a.put(u)
}
