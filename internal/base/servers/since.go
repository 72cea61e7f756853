package servers

import (
	"strconv"
	"strings"
)

// Since says which servers have something: since which release. The forms are
//
//	""              all servers
//	"7.0.0"         Redis since 7.0.0; so has Valkey, if that is not after the fork from Redis 7.2.4
//	"7.4.0/9.0.0"   Redis since 7.4.0, Valkey since 9.0.0
//	"7.4.0/-"       Redis only
//	"-/8.0.0"       Valkey only
type Since string

// Of returns the release since which servers of a kind have it, or "" if none has. all reports that
// every server of the kind has always had it.
func (s Since) Of(k Kind) (release string, all bool) {
	if s == "" {
		return "", true
	}
	redis, valkey, both := strings.Cut(string(s), "/")
	switch {
	case k == Redis:
		release = redis
	case both:
		release = valkey
	case Compare(redis, forked) <= 0:
		release = redis
	}
	if release == "-" {
		release = ""
	}
	return release, false
}

// String says it to people: "7.4.0 and Valkey 9.0.0". The number alone is that of Redis.
func (s Since) String() string {
	redis, valkey, _ := strings.Cut(string(s), "/")
	switch {
	case valkey == "" || valkey == "-":
		return redis
	case redis == "-":
		return "Valkey " + valkey
	}
	return redis + " and Valkey " + valkey
}

// HasSince reports whether a server has what exists since then.
func (s Server) HasSince(since Since) bool {
	release, all := since.Of(s.Kind())
	return all || release != "" && Compare(release, s.Release()) <= 0
}

// Compare returns a negative number if release a came before b, 0 if they are the same, and a
// positive number otherwise.
func Compare(a, b string) int {
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
