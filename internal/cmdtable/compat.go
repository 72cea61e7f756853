package cmdtable

import (
	"strconv"
	"strings"
)

// Compat is a version of Redis that is followed: commands, options and answers of later ones do not exist.
type Compat uint8

// The versions, oldest first.
const (
	Redis70 Compat = iota
	Redis74
	Redis80
)

// Releases are the releases that the versions stand for.
var Releases = [...]struct {
	name, version string
	Dump          int // version of the RDB format
}{
	Redis70: {"7.0", Version, 10},
	Redis74: {"7.4", "7.4.4", 12},
	Redis80: {"8.0", "8.0.2", 12},
}

// ParseCompat finds a version by its name, such as "7.4"; the empty name is that of Redis70.
func ParseCompat(name string) (c Compat, ok bool) {
	if name == "" {
		return Redis70, true
	}
	for i, r := range Releases {
		if r.name == name {
			return Compat(i), true
		}
	}
	return 0, false
}

// CompatNames are the names that ParseCompat knows, oldest first.
func CompatNames() []string {
	names := make([]string, len(Releases))
	for i, r := range Releases {
		names[i] = r.name
	}
	return names
}

// Version is the release in three numbers, as INFO tells it.
func (c Compat) Version() string { return Releases[c].version }

// has reports whether the version has what came with a release; the empty one was always there.
func (c Compat) has(since string) bool {
	return since == "" || compareVersions(since, Releases[c].version) <= 0
}

// compareVersions is below 0, 0 or above 0 as release a came before b, is it, or came after it.
func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m - n
		}
	}
	return len(x) - len(y)
}

// followed takes out of args what came later than the version.
func (c Compat) followed(args []Arg) []Arg {
	out := args[:0]
	for _, a := range args {
		if c.has(a.Since) && c.has(a.From) {
			a.Args = c.followed(a.Args)
			out = append(out, a)
		}
	}
	return out
}

// Version is the version of Redis whose behaviour Redmoon has, unless it is made to follow a later one.
const Version = "7.0.15"
