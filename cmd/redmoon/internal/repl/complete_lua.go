package repl

import (
	"slices"
	"strings"
)

// libraryNames are the library names that scripts use most.
var libraryNames = strings.Fields(`redis.call redis.pcall redis.error_reply redis.status_reply redis.sha1hex ` +
	`redis.log redis.LOG_DEBUG redis.LOG_VERBOSE redis.LOG_NOTICE
	redis.LOG_WARNING redis.setresp redis.set_repl redis.breakpoint redis.debug cjson.encode cjson.decode ` +
	`cmsgpack.pack cmsgpack.unpack struct.pack struct.unpack
	string.byte string.char string.find string.format string.gmatch string.gsub string.len string.lower ` +
	`string.match string.rep string.reverse string.sub string.upper
	table.concat table.insert table.maxn table.remove table.sort math.abs math.ceil math.floor math.fmod ` +
	`math.huge math.max math.min math.random
	bit.band bit.bor bit.bxor bit.lshift bit.rshift assert error ipairs next pairs pcall select tonumber ` +
	`tostring type unpack xpcall KEYS ARGV`)

// luaPrefix returns the name at the end of a Lua text, with its dots.
func luaPrefix(code string) string {
	i := len(code)
	for i > 0 && (isLetter(code[i-1]) || isDigit(code[i-1]) || code[i-1] == '.' || code[i-1] == ':') {
		i--
	}
	return code[i:]
}

// completeLua offers names for the end of a Lua text: variables at a stop, reserved words and
// library functions.
func completeLua(d *dialogue, words []string) []candidate {
	typed := luaPrefix(words[len(words)-1])
	var all []candidate
	seen := map[string]bool{}
	add := func(name, help string) {
		if !seen[name] && strings.HasPrefix(name, typed) {
			seen[name] = true
			all = append(all, candidate{Value: name, Help: help})
		}
	}
	if d.scripts.current != nil {
		scopes, _ := d.scripts.current.target.Scopes(d.scripts.current.frame)
		for _, s := range scopes {
			for _, v := range slices.Backward(s.Variables) {
				if v.Name != "" && isLetter(v.Name[0]) && len(all) < maxCandidates {
					add(v.Name, short(v.Value, 40))
				}
			}
		}
	}
	for _, name := range libraryNames {
		if strings.Contains(typed, ".") || !strings.Contains(name, ".") {
			add(name, "")
		}
	}
	for _, name := range []string{"redis.", "cjson.", "string.", "table.", "math."} {
		if !strings.Contains(typed, ".") {
			add(name, "")
		}
	}
	if typed != "" {
		for _, name := range luaWords {
			add(name, "")
		}
	}
	return all
}
