package names

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// order lists Redis's globals in the order in which it adds them, which pairs shows. Redis refuses
// or removes the names behind a minus sign, but they have taken a place: debug is first added and
// then removed.
var order = strings.Fields("_G assert collectgarbage -dofile error gcinfo -getfenv getmetatable -loadfile loadstring load next " +
	"pcall -print rawequal rawget rawset select -setfenv setmetatable tonumber tostring type unpack xpcall _VERSION ipairs pairs " +
	"-newproxy coroutine table string math debug cjson struct cmsgpack bit redis __redis__err__handler -debug KEYS ARGV")

// Added returns the names of the globals in the order in which Redis adds them. removed reports
// whether Redis refuses the name, or removes it at this place.
func Added() iter.Seq2[string, bool] {
	return func(yield func(name string, removed bool) bool) {
		for _, name := range order {
			name, removed := strings.CutPrefix(name, "-")
			if !yield(name, removed) {
				return
			}
		}
	}
}

// Globals returns the names of the globals that scripts can read, in Redis's order.
func Globals() (names []string) {
	for name, removed := range Added() {
		if removed {
			names = slices.DeleteFunc(names, func(other string) bool { return other == name })
		} else {
			names = append(names, name)
		}
	}
	return names
}

// libraryFields lists the fields of each library in the order in which Redis adds them, which pairs
// shows.
var libraryFields = map[string][]string{
	"string": {"byte", "char", "dump", "find", "format", "gfind", "gmatch", "gsub", "len", "lower", "match", "rep",
		"reverse", "sub", "upper"},
	"table": {"concat", "foreach", "foreachi", "getn", "maxn", "insert", "remove", "setn", "sort"},
	"math": {"abs", "acos", "asin", "atan2", "atan", "ceil", "cosh", "cos", "deg", "exp", "floor", "fmod", "frexp", "ldexp",
		"log10", "log", "max", "min", "modf", "pow", "rad", "random", "randomseed", "sinh", "sin", "sqrt", "tanh", "tan",
		"pi", "huge", "mod"},
	"coroutine": {"create", "resume", "running", "status", "wrap", "yield"},
	"redis": {"call", "pcall", "log", "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING", "REDIS_VERSION_NUM",
		"REDIS_VERSION", "setresp", "sha1hex", "error_reply", "status_reply", "set_repl", "REPL_NONE", "REPL_AOF", "REPL_SLAVE",
		"REPL_REPLICA", "REPL_ALL", "acl_check_cmd", "breakpoint", "debug", "replicate_commands"},
	"bit": {"arshift", "band", "bnot", "bor", "bswap", "bxor", "lshift", "rol", "ror", "rshift", "tobit", "tohex"},
	"cjson": {"decode", "decode_invalid_numbers", "decode_max_depth", "encode", "encode_invalid_numbers",
		"encode_keep_buffer", "encode_max_depth", "encode_number_precision", "encode_sparse_array", "new", "null",
		"_NAME", "_VERSION"},
	"cmsgpack": {"pack", "unpack", "unpack_limit", "unpack_one", "_COPYRIGHT", "_DESCRIPTION", "_NAME", "_VERSION"},
	"struct":   {"pack", "size", "unpack"},
}

// Libraries returns the names of the libraries, each with its fields in the order in which Redis
// adds them. Callers must not change the fields.
func Libraries() iter.Seq2[string, []string] { return maps.All(libraryFields) }

// Fields returns the fields of a library, or nil.
func Fields(library string) []string { return slices.Clone(libraryFields[library]) }
