package names

import (
	"iter"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// name is a global, or a field of a library.
type name struct {
	name string
	// since says which servers have the name, gone which of these have it no more.
	since, gone servers.Since
	// refused is set if servers without the name refuse it or remove it again: it has taken a place.
	refused bool
	never   bool // no server has it
}

// in reports whether a server has the name.
func (n *name) in(s servers.Server) bool {
	return !n.never && s.HasSince(n.since) && (n.gone == "" || !s.HasSince(n.gone))
}

// words reads a list of names: "name"; "-name" for one that all servers refuse or remove again;
// "name>since" for one that servers have since then; "name>since<gone" for one that servers without
// it refuse.
func words(list string) (names []name) {
	for _, word := range strings.Fields(list) {
		var n name
		word, n.never = strings.CutPrefix(word, "-")
		word, gone, refused := strings.Cut(word, "<")
		word, since, _ := strings.Cut(word, ">")
		n.name, n.since, n.gone, n.refused = word, servers.Since(since), servers.Since(gone), refused || n.never
		names = append(names, n)
	}
	return names
}

// order lists the globals in the order in which servers add them, which pairs shows. Those that are
// refused have taken a place: debug is first added and then removed.
var order = words("_G assert collectgarbage -dofile error gcinfo getfenv>-/8.0.0<-/8.1.0 getmetatable -loadfile loadstring load next " +
	"pcall -print rawequal rawget rawset select setfenv>-/8.0.0<-/8.1.0 setmetatable tonumber tostring type unpack xpcall _VERSION " +
	"ipairs pairs newproxy>-/8.0.0<-/8.1.0 coroutine table string math debug os>7.2.0 cjson struct cmsgpack bit server>-/7.2.5 redis " +
	"__server__err__handler>-/8.1.0 __redis__err__handler -debug KEYS ARGV")

// Added returns the names of the globals in the order in which a server adds them. removed reports
// whether it refuses the name, or removes it at this place.
func Added(s servers.Server) iter.Seq2[string, bool] {
	return func(yield func(name string, removed bool) bool) {
		for i := range order {
			if n := &order[i]; (n.in(s) || n.refused) && !yield(n.name, !n.in(s)) {
				return
			}
		}
	}
}

// Globals returns the names of the globals that scripts can read, in the server's order.
func Globals(s servers.Server) (names []string) {
	for name, removed := range Added(s) {
		if removed {
			names = slices.DeleteFunc(names, func(other string) bool { return other == name })
		} else {
			names = append(names, name)
		}
	}
	return names
}

// libraryFields lists the fields of each library in the order in which servers add them, which
// pairs shows.
var libraryFields = map[string][]name{
	"string": words("byte char dump find format gfind gmatch gsub len lower match rep reverse sub upper"),
	"table":  words("concat foreach foreachi getn maxn insert remove setn sort"),
	"math": words("abs acos asin atan2 atan ceil cosh cos deg exp floor fmod frexp ldexp log10 log max min modf pow rad random " +
		"randomseed sinh sin sqrt tanh tan pi huge mod"),
	"coroutine": words("create resume running status wrap yield"),
	"os":        words("clock"),
	"redis":     api,
	"server":    api,
	"bit":       words("arshift band bnot bor bswap bxor lshift rol ror rshift tobit tohex"),
	"cjson": words("decode decode_invalid_numbers decode_array_with_array_mt>8.4.0/- decode_max_depth encode encode_invalid_numbers " +
		"encode_keep_buffer encode_max_depth encode_number_precision encode_sparse_array new null _NAME _VERSION"),
	"cmsgpack": words("pack unpack unpack_limit unpack_one _COPYRIGHT _DESCRIPTION _NAME _VERSION"),
	"struct":   words("pack size unpack"),
}

// api lists the fields of the library redis, which Valkey also calls server.
var api = words("call pcall log LOG_DEBUG LOG_VERBOSE LOG_NOTICE LOG_WARNING REDIS_VERSION_NUM REDIS_VERSION SERVER_NAME>-/8.0.0 " +
	"VALKEY_VERSION_NUM>-/8.0.0 VALKEY_VERSION>-/8.0.0 setresp sha1hex error_reply status_reply set_repl REPL_NONE REPL_AOF REPL_SLAVE " +
	"REPL_REPLICA REPL_ALL acl_check_cmd breakpoint debug replicate_commands")

// API lists the names of the library redis: the first is the one that its values have in error
// texts.
func API(s servers.Server) []string {
	if s.HasSince("-/7.2.5") {
		return []string{"server", "redis"}
	}
	return []string{"redis"}
}

// Libraries returns the names of the libraries of a server, each with its fields in the order in
// which the server adds them.
func Libraries(s servers.Server) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for _, library := range Globals(s) {
			if fields := Fields(library, s); fields != nil && !yield(library, fields) {
				return
			}
		}
	}
}

// Fields returns the fields of a library of a server, or nil.
func Fields(library string, s servers.Server) (fields []string) {
	for i := range libraryFields[library] {
		if n := &libraryFields[library][i]; n.in(s) {
			fields = append(fields, n.name)
		}
	}
	return fields
}

// AllFields calls f for each field that a library of some server has.
func AllFields(f func(library, field string)) {
	for library, fields := range libraryFields {
		for i := range fields {
			f(library, fields[i].name)
		}
	}
}
