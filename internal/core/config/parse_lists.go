package config

import (
	"slices"
	"strconv"
	"strings"
)

// SplitWords splits a value of several words at each space. An empty value has no words.
func SplitWords(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, " ")
}

// splitCWords is SplitWords for words that Redis reads as C strings: a NUL byte ends each word.
func splitCWords(value string) []string {
	words := SplitWords(value)
	for i, w := range words {
		words[i], _, _ = strings.Cut(w, "\x00")
	}
	return words
}

// parseSave reads pairs of seconds and changes.
func parseSave(value, _ string) (string, string) {
	const problem = "Invalid save parameters"
	words := splitCWords(value)
	if len(words) == 1 && words[0] == "" {
		return "", ""
	}
	if len(words)%2 != 0 {
		return "", problem
	}
	for i, w := range words {
		n, rest := leadingLong(w)
		if rest != "" || i%2 == 0 && n < 1 || n < 0 {
			return "", problem
		}
		if i%2 == 1 {
			n = int64(int32(n)) // the type in Redis
		}
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, " "), ""
}

// parseBind reads the addresses to listen on.
func parseBind(value, _ string) (string, string) {
	if len(SplitWords(value)) > 16 {
		return "", "Too many bind addresses specified."
	}
	return value, ""
}

// parseShutdownOptions reads the options of shutdown-on-sigint and -sigterm, and sorts them.
func parseShutdownOptions(value, _ string) (string, string) {
	all := []string{"default", "save", "nosave", "now", "force"}
	given := map[string]bool{}
	words := splitCWords(value)
	if len(words) == 0 {
		return "", oneOfThese(all)
	}
	for _, w := range words {
		w = strings.ToLower(w)
		if !slices.Contains(all, w) {
			return "", oneOfThese(all)
		}
		given[w] = true
	}
	if given["save"] && given["nosave"] {
		return "", "shutdown options SAVE and NOSAVE can't be used simultaneously"
	}
	out := []string{}
	for _, option := range all[1:] {
		if given[option] {
			out = append(out, option)
		}
	}
	if len(out) == 0 {
		return "default", ""
	}
	return strings.Join(out, " "), ""
}

// parseOutputLimits reads groups of a class of clients, a hard limit, a soft limit and seconds.
// Other classes keep their limits.
func parseOutputLimits(value, present string) (string, string) {
	words, all := splitCWords(value), strings.Split(present, " ")
	if len(words)%4 != 0 {
		return "", "Wrong number of arguments in buffer limit configuration."
	}
	for ; len(words) > 0; words = words[4:] {
		class := strings.ToLower(words[0])
		if class == "replica" {
			class = "slave"
		}
		if class != "normal" && class != "slave" && class != "pubsub" {
			return "", "Invalid client class specified in buffer limit configuration."
		}
		hard, okHard := ParseMemory(words[1])
		soft, okSoft := ParseMemory(words[2])
		n, rest := leadingLong(words[3])
		seconds := int32(n) // the type in Redis
		if !okHard || !okSoft || rest != "" || seconds < 0 {
			return "", "Error in hard, soft or soft_seconds setting in buffer limit configuration."
		}
		at := slices.Index(all, class)
		all[at+1], all[at+2] = strconv.FormatUint(hard, 10), strconv.FormatUint(soft, 10)
		all[at+3] = strconv.FormatInt(int64(seconds), 10)
	}
	return strings.Join(all, " "), ""
}

// OutputLimit is client-output-buffer-limit for one class of clients: the limits in bytes (0:
// none), and for how many seconds the soft limit may be exceeded.
type OutputLimit struct{ Hard, Soft, Seconds int64 }

// set takes the limits of a class from the value of the parameter.
func (l *OutputLimit) set(value, class string) {
	words := strings.Split(value, " ")
	at := slices.Index(words, class)
	for i, n := range []*int64{&l.Hard, &l.Soft, &l.Seconds} {
		*n, _ = strconv.ParseInt(words[at+1+i], 10, 64)
	}
}

func (c *Config) setOutputLimits(value string) {
	c.NormalLimit.set(value, "normal")
	c.PubSubLimit.set(value, "pubsub")
	c.ReplicaLimit.set(value, "slave")
	c.changeConnLimits(func(l *ConnLimits) { l.MaxReplies = c.NormalLimit.Hard })
}

// eventFlags are the letters of notify-keyspace-events that A stands for.
const eventFlags = "g$lshzxetd"

// parseEvents puts the letters of notify-keyspace-events into Redis's order.
func parseEvents(value, _ string) (string, string) {
	for i := range len(value) {
		if !strings.Contains("AKEnm"+eventFlags, value[i:i+1]) {
			return "", "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."
		}
	}
	has := func(flag string) bool { return strings.Contains(value, flag) }
	all := true
	var classes strings.Builder
	for _, f := range strings.Split(eventFlags, "") {
		if has(f) {
			classes.WriteString(f)
		} else {
			all = false
		}
	}
	var b strings.Builder
	if all || has("A") {
		b.WriteString("A")
	} else {
		b.WriteString(classes.String())
	}
	if has("n") {
		b.WriteString("n")
	}
	for _, f := range []string{"K", "E", "m"} {
		if has(f) {
			b.WriteString(f)
		}
	}
	return b.String(), ""
}

// showEvents removes n next to A, as CONFIG GET does in Redis.
func showEvents(flags string) string {
	if strings.HasPrefix(flags, "A") {
		return strings.Replace(flags, "n", "", 1)
	}
	return flags
}
