package servers

import (
	"strings"
	"sync"
)

// Server is a version of a server. The zero value is Redis70.
type Server uint8

// The servers, by kind and age.
const (
	Redis70 Server = iota
	Redis72
	Redis74
	Redis80
	Redis82
	Redis84
	Redis86
	Valkey72
	Valkey80
	Valkey81
	Valkey90
	Valkey91
	count
)

// Kind is the project that makes a server.
type Kind uint8

// The kinds.
const (
	Redis Kind = iota
	Valkey
)

// String returns "redis" or "valkey".
func (k Kind) String() string {
	if k == Valkey {
		return "valkey"
	}
	return "redis"
}

// forked is the release of Redis from which Valkey began.
const forked = "7.2.4"

// servers is the table; the index is the Server.
var servers = [count]struct {
	name    string // as options and command lines name it
	release string // the release that it stands for, in three numbers
	dump    int    // the version of RDB that it writes
}{
	Redis70:  {"redis-7.0", DefaultRelease, 10},
	Redis72:  {"redis-7.2", "7.2.4", 11},
	Redis74:  {"redis-7.4", "7.4.4", 12},
	Redis80:  {"redis-8.0", "8.0.2", 12},
	Redis82:  {"redis-8.2", "8.2.0", 12},
	Redis84:  {"redis-8.4", "8.4.0", 12},
	Redis86:  {"redis-8.6", "8.6.3", 13},
	Valkey72: {"valkey-7.2", "7.2.5", 11},
	Valkey80: {"valkey-8.0", "8.0.1", 11},
	Valkey81: {"valkey-8.1", "8.1.1", 11},
	Valkey90: {"valkey-9.0", "9.0.0", 80},
	Valkey91: {"valkey-9.1", "9.1.2", 80},
}

// newest are the servers that the name of a kind stands for.
var newest = map[string]Server{"redis": Redis86, "valkey": Valkey91}

// Newest returns the newest server of each kind.
func Newest() []Server { return []Server{newest["redis"], newest["valkey"]} }

// All returns the servers, by kind and age.
func All() []Server {
	all := make([]Server, count)
	for i := range all {
		all[i] = Server(i)
	}
	return all
}

// Parse finds a server by a name that a user writes: "valkey-8.1", "redis" or "valkey" for the
// newest, or the number of a version of Redis, such as "8.0". The empty name is that of Redis70.
func Parse(name string) (s Server, ok bool) {
	if name == "" {
		return Redis70, true
	}
	if s, ok = newest[name]; ok {
		return s, true
	}
	for i, row := range servers {
		if row.name == name || row.name == "redis-"+name {
			return Server(i), true
		}
	}
	return 0, false
}

// Nearest returns the newest server of a kind that is not newer than a release, or the oldest of
// the kind.
func Nearest(k Kind, release string) Server {
	nearest := Redis70
	if k == Valkey {
		nearest = Valkey72
	}
	for _, s := range All() {
		if s.Kind() == k && Compare(minor(s.Release()), minor(release)) <= 0 {
			nearest = s
		}
	}
	return nearest
}

// OfInfo returns the server of this table that is nearest to the one whose INFO is given, and that
// server's name and release, such as "valkey 8.1.4"; ok is false if INFO has no release.
func OfInfo(info string) (s Server, release string, ok bool) {
	fields := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), ":"); found {
			fields[name] = value
		}
	}
	if v := fields["valkey_version"]; v != "" {
		return Nearest(Valkey, v), "valkey " + v, true
	}
	v := fields["redis_version"]
	return Nearest(Redis, v), "redis " + v, v != ""
}

// minor returns a release without its last number: 8.0 of 8.0.2.
func minor(release string) string {
	if parts := strings.SplitN(release, ".", 3); len(parts) > 2 {
		return parts[0] + "." + parts[1]
	}
	return release
}

// Names returns the names of all servers as text for an error: "redis-7.0, redis-7.2 ... and
// valkey-9.1".
func Names() string {
	names := make([]string, count)
	for i, row := range servers {
		names[i] = row.name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// String returns the name of the server, such as "redis-7.0".
func (s Server) String() string { return servers[s].name }

// Kind returns the project that makes the server.
func (s Server) Kind() Kind {
	if s >= Valkey72 {
		return Valkey
	}
	return Redis
}

// Release returns the release in three numbers, such as "7.0.15".
func (s Server) Release() string { return servers[s].release }

// RedisRelease returns the release of Redis that the server claims to be: for Valkey the one that
// it began from.
func (s Server) RedisRelease() string {
	if s.Kind() == Valkey {
		return forked
	}
	return s.Release()
}

// ReaderOf returns the oldest server that reads RDB files of a version, and false if none does.
func ReaderOf(dump int) (s Server, ok bool) {
	for _, s := range All() {
		if s.DumpVersion() >= dump {
			return s, true
		}
	}
	return 0, false
}

// DumpVersion returns the version of RDB in the footer of DUMP and in RDB files.
func (s Server) DumpVersion() int { return servers[s].dump }

// DefaultRelease is the release of [Redis70], which Redmoon follows by default.
const DefaultRelease = "7.0.15"

// Lazily returns a function that gives what make makes for a server. It is made when it is first
// asked for, once.
func Lazily[T any](make func(Server) T) func(Server) T {
	var made [count]func() T
	for _, s := range All() {
		made[s] = sync.OnceValue(func() T { return make(s) })
	}
	return func(s Server) T { return made[s]() }
}
