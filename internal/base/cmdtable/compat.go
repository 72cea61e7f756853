package cmdtable

import (
	"strconv"
	"strings"
)

// Compat is the version of Redis that an engine follows. Commands, options and replies of later
// versions do not exist for it.
type Compat uint8

// The versions, oldest first.
const (
	Redis70 Compat = iota
	Redis74
	Redis80
)

// Releases holds the release that each Compat stands for; the index is the Compat.
var Releases = [...]struct {
	name, version string
	Dump          int // RDB version in the footer of DUMP
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

// CompatNames returns the names that ParseCompat accepts, oldest first, as text for an error: "7.0,
// 7.4 and 8.0".
func CompatNames() string {
	text := Releases[0].name
	for i, r := range Releases[1:] {
		if i == len(Releases)-2 {
			text += " and " + r.name
		} else {
			text += ", " + r.name
		}
	}
	return text
}

// Version returns the release in three numbers, for example "7.0.15", as in INFO.
func (c Compat) Version() string { return Releases[c].version }

// has reports whether the version has what was added in release since; "" means that it was always
// there.
func (c Compat) has(since string) bool {
	return since == "" || CompareVersions(since, Releases[c].version) <= 0
}

// CompareVersions returns a negative number if release a came before b, 0 if they are the same, and
// a positive number otherwise.
func CompareVersions(a, b string) int {
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

// followed returns args without those that later versions added. It changes args.
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

// Version is the release of Redis that Redmoon follows by default.
const Version = "7.0.15"
