package conffile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/config"
)

// Source says where a configuration comes from. All parts are optional; they are read in this
// order, and later lines win.
type Source struct {
	Path    string // of the configuration file
	Stdin   string // lines from standard input
	Options string // lines from the command line
}

// text returns the lines of all parts but the file. As in Redis, an empty line comes before those
// of the command line, which the numbers of lines in errors count.
func (s Source) text() string {
	if s.Options == "" {
		return s.Stdin
	}
	return s.Stdin + "\n" + s.Options
}

// File is a parsed configuration in the form of redis.conf, with the files that it includes. It is
// immutable.
type File struct {
	Path   string // absolute, in the form of INFO: only leading dots are resolved; "" without a file
	Config *config.Config
	Given  []int // indexes of the parameters that the file sets, in its order, each once
	Users  []acl.UserLine
	// Table has the commands under the names that rename-command has given them.
	Table *cmdtable.Table
}

// Error is an error in a configuration.
type Error struct {
	File    string // "" for the lines of standard input and of the command line
	Line    int    // from 1; 0 for an error that no single line makes
	Text    string // of the line, without the white space around it
	Problem string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Problem
	}
	return fmt.Sprintf("Reading the configuration file%s, at line %d\n>>> '%s'\n%s", before(" ", e.File), e.Line, e.Text, e.Problem)
}

// Block is what redis-server 7.0.15 prints about the error before it exits.
func (e *Error) Block(version string) string {
	where := ""
	if e.Line > 0 {
		where = fmt.Sprintf("Reading the configuration file, at line %d\n>>> '%s'\n", e.Line, e.Text)
	}
	return fmt.Sprintf("\n*** FATAL CONFIG FILE ERROR (Redis %s) ***\n%s%s\n", version, where, e.Problem)
}

func before(space, s string) string {
	if s == "" {
		return ""
	}
	return space + s
}

// OpenError is the error of a file that cannot be read.
type OpenError struct {
	Path string // as it was given; absolute for the first file
	Err  error
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("can't open config file '%s': %s", e.Path, files.Strerror(e.Err))
}

func (e *OpenError) Unwrap() error { return e.Err }

// defaultSave is the value of save when the configuration file does not set it.
const defaultSave = "3600 1 300 100 60 10000"

// Read reads a configuration. The rules of users and rename-command may name the commands of table.
// The error is an *[Error] when a line is wrong, an *[OpenError] when a file cannot be read. The
// File then has what was read before.
func Read(source Source, table *cmdtable.Table) (*File, error) {
	f := &File{Config: config.New(datastore.DefaultLimits(), table.Server()), Table: table}
	f.Config.PasswordChanged = func(string) {}
	f.set("save", defaultSave)
	r := confReader{File: f, access: acl.NewList(table, f.Config), seenUsers: map[string]bool{}}
	text := ""
	if source.Path != "" {
		f.Path = absolute(source.Path)
		b, err := os.ReadFile(f.Path)
		if err != nil && !errors.Is(err, syscall.EISDIR) { // as Redis, which reads nothing from a directory
			return f, &OpenError{Path: f.Path, Err: err}
		}
		text = string(b)
	}
	if err := r.lines(source.Path, text+source.text()); err != nil {
		return f, err
	}
	if f.Value("cluster-enabled") == "yes" && f.Sets("replicaof") && f.Value("replicaof") != "" {
		return f, &Error{Problem: "replicaof directive not allowed in cluster mode"}
	}
	return f, nil
}

// absolute puts the working directory before a relative path. As in Redis, it resolves only leading
// dots.
func absolute(path string) string {
	dir, err := os.Getwd()
	if filepath.IsAbs(path) || err != nil {
		return path
	}
	for strings.HasPrefix(path, "../") {
		path, dir = path[3:], filepath.Dir(dir)
	}
	return strings.TrimSuffix(dir, "/") + "/" + path
}

// Value returns the value of a parameter: that of the file, or the default.
func (f *File) Value(name string) string { return f.Config.Value(name) }

// Sets reports whether the file sets a parameter.
func (f *File) Sets(name string) bool {
	i, ok := f.Config.Names[name]
	return ok && f.sets(i)
}

func (f *File) sets(i int) bool {
	for _, g := range f.Given {
		if g == i {
			return true
		}
	}
	return false
}

func (f *File) set(name, value string) { f.Config.SetAt(f.Config.Names[name], value) }

// confReader reads a file, and those that it includes, into a File.
type confReader struct {
	*File
	access    *acl.List // only to check rules
	seenUsers map[string]bool
	dir       string // base of relative paths, set by a line dir; "": the working directory
	depth     int    // of includes
	reading   bool   // no included file has ended since this one began
	saves     bool   // a line save has been read
}

// maxIncludes is how deep files may include others.
const maxIncludes = 64

func (r *confReader) resolve(path string) string {
	if filepath.IsAbs(path) || r.dir == "" {
		return path
	}
	return filepath.Join(r.dir, path)
}

func (r *confReader) read(path string) error {
	text, err := os.ReadFile(r.resolve(path))
	if err != nil && !errors.Is(err, syscall.EISDIR) {
		return &OpenError{Path: path, Err: err}
	}
	return r.lines(path, string(text))
}

// lines reads the lines of a file.
func (r *confReader) lines(path, text string) error {
	r.reading = true
	defer func() { r.reading = false }()
	for n, line := range strings.Split(text, "\n") {
		line = strings.Trim(line, " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		problem, err := r.line(line)
		if err != nil {
			return err
		}
		if problem != "" {
			return &Error{File: path, Line: n + 1, Text: line, Problem: problem}
		}
	}
	return nil
}

// line reads one line. problem says what is wrong with it; err is an error of a file that it
// includes.
func (r *confReader) line(line string) (problem string, err error) {
	words, ok := quoting.WordsOf(line, r.Table.Server().Has(servers.JoinedQuotes))
	if !ok {
		return "Unbalanced quotes in configuration line", nil
	}
	if len(words) == 0 {
		return "", nil
	}
	name, args := strings.ToLower(words[0]), words[1:]
	if i, ok := r.Config.Names[name]; ok {
		return r.parameter(i, args), nil
	}
	d := config.DirectiveNamed(name)
	if d == nil || !d.Takes(len(args)) {
		return "Bad directive or wrong number of arguments", nil
	}
	switch d.Name {
	case "include":
		return "", r.include(args[0])
	case "user":
		return r.user(args), nil
	case "rename-command":
		return r.rename(args[0], args[1]), nil
	case config.ModuleDirective:
		if len(args) == 0 {
			return "Module config specified without value", nil
		}
		return errNoModules, nil
	case "loadmodule":
		return errNoModules, nil
	case "sentinel":
		if len(args) > 0 {
			return "sentinel directive while not in sentinel mode", nil
		}
	}
	return "", nil
}

const errNoModules = "modules are not supported"

// rename gives a command another name, or none.
func (r *confReader) rename(from, to string) (problem string) {
	spec := r.Table.Lookup(from)
	switch {
	case spec == nil:
		return "No such command in rename-command"
	case to != "" && r.Table.Lookup(to) != nil && r.Table.Lookup(to) != spec:
		return "Target command name already exists"
	}
	r.Table = r.Table.Renamed(from, to)
	return ""
}

// include reads another file, or all that match a pattern.
func (r *confReader) include(pattern string) error {
	if r.depth++; r.depth > maxIncludes {
		return fmt.Errorf("config file '%s': files include each other, more than %d deep", pattern, maxIncludes)
	}
	defer func() { r.depth-- }()
	if !strings.ContainsAny(pattern, "*?[") {
		return r.read(pattern)
	}
	paths, err := filepath.Glob(r.resolve(pattern)) // sorted
	if err != nil {
		return nil // as one that matches nothing
	}
	for _, path := range paths {
		if err := r.read(path); err != nil {
			return err
		}
	}
	return nil
}

// user checks a user's rules and keeps them. Unknown commands are reported when the file is used.
func (r *confReader) user(words []string) (problem string) {
	at := func(i int) string { return append([]string{"user"}, words...)[i] } // Redis names the wrong word
	if r.seenUsers[words[0]] {
		return fmt.Sprintf("Error in user declaration '%s': Duplicate user found. A user can only be defined once in config files", words[0])
	}
	rules, unmatched := r.access.MergeSelectors(words[1:])
	if unmatched != "" {
		return fmt.Sprintf("Error in user declaration '%s': %s", at(0), acl.RuleUnknown)
	}
	u := r.access.NewUser(words[0])
	for i, rule := range rules {
		if why := r.access.Apply(u, rule); why != "" && why != acl.RuleUnknown {
			return fmt.Sprintf("Error in user declaration '%s': %s", at(i), why)
		}
	}
	r.seenUsers[words[0]] = true
	r.Users = append(r.Users, words)
	return ""
}

const errWordCount = "wrong number of arguments"

// parameter sets a parameter to the words of a line.
func (r *confReader) parameter(i int, words []string) (problem string) {
	p := &r.Config.Params[i]
	switch {
	case p.Name == "replicaof":
		if len(words) == 1 && words[0] != "" {
			words = strings.Fields(words[0]) // a list of the command line, in one argument
		}
		if len(words) != 2 {
			return errWordCount
		}
	case p.Kind != config.ListParam && len(words) != 1:
		return errWordCount
	case p.Name == "client-output-buffer-limit" && len(words) == 1 && words[0] == "":
		words = []string{"\t"} // one word, not none
	case len(words) > 1:
		for _, w := range words {
			if strings.Contains(w, " ") {
				words = []string{strings.ReplaceAll(strings.Join(words, " "), " ", "\t")} // which no list accepts
				break
			}
		}
	}
	present := r.Config.ValueAt(i)
	v, problem := p.Parse(strings.Join(words, " "), present)
	switch {
	case problem != "":
		return problem
	case p.RefusedInFile != "" && v != p.Def:
		return p.RefusedInFile
	case p.RefusedInFile == "" && !p.AllowedInFile && v != present:
		if refuse := r.Config.RefusalAt(i); refuse != nil {
			if problem := refuse(v); problem != "" {
				return problem
			}
		}
	}
	switch p.Name {
	case "replicaof":
		if strings.EqualFold(v, "no one") {
			v = ""
		} else if port, err := strconv.Atoi(words[1]); err != nil || port < 0 || port > 65535 {
			return "Invalid master port"
		}
	case "dir":
		path := r.resolve(v)
		if info, err := os.Stat(path); err != nil {
			return files.Strerror(err)
		} else if !info.IsDir() {
			return "Not a directory"
		} else if _, err := os.Stat(path + "/."); err != nil { // no right to enter it
			return files.Strerror(err)
		}
		v = absolute(path)
		r.dir = v
	case "save": // several lines add up, but not behind an include
		if r.reading && r.saves && (v != "" || len(words) == 0) {
			v = strings.TrimSpace(present + " " + v)
		}
		r.saves = r.saves || r.reading
	}
	if !r.sets(i) {
		r.Given = append(r.Given, i)
	}
	r.Config.SetAt(i, v)
	return ""
}
