package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// RewriteLine is a line for the configuration file. Unless Force is set, it only replaces an
// existing line.
type RewriteLine struct {
	Text  string
	Force bool
}

// Rewrite returns the lines that set the parameter to its value.
func (p *Param) Rewrite(value, shown string) []RewriteLine {
	one := func(text string, force bool) []RewriteLine { return []RewriteLine{{p.Name + " " + text, force}} }
	changed := value != p.Def
	switch p.Name {
	case "dir", "latency-tracking-info-percentiles":
		changed = true
	case "save":
		return rewriteSave(value)
	case "replicaof":
		if value == "" {
			return nil
		}
		return one(value, true)
	case "client-output-buffer-limit":
		return rewriteOutputLimits(value, p.Def)
	case "notify-keyspace-events":
		return one(quoted(shown), changed)
	case "unixsocketperm":
		return one(value, changed)
	case "maxmemory-clients":
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			value = memoryText(n)
		}
		return one(value, changed)
	}
	switch p.Kind {
	case textParam, binaryParam, checkedParam:
		if value == "" && !p.keepsEmpty {
			return nil
		}
		return one(quoted(value), changed)
	case memoryParam:
		n, _ := strconv.ParseUint(value, 10, 64)
		value = memoryText(n)
	case ListParam:
		if value == "" {
			value = `""`
		}
	}
	return one(value, changed)
}

func rewriteSave(value string) []RewriteLine {
	words := SplitWords(value)
	if len(words) == 0 {
		return []RewriteLine{{`save ""`, true}}
	}
	var lines []RewriteLine
	for i := 0; i < len(words); i += 2 {
		lines = append(lines, RewriteLine{"save " + words[i] + " " + words[i+1], true})
	}
	return lines
}

// rewriteOutputLimits gives one line for each class.
func rewriteOutputLimits(value, def string) []RewriteLine {
	words, defaults := strings.Split(value, " "), strings.Split(def, " ")
	var lines []RewriteLine
	for i := 0; i < len(words); i += 4 {
		class := words[i]
		if class == "slave" {
			class = "replica"
		}
		hard, _ := strconv.ParseUint(words[i+1], 10, 64)
		soft, _ := strconv.ParseUint(words[i+2], 10, 64)
		text := strings.Join([]string{"client-output-buffer-limit", class, memoryText(hard), memoryText(soft), words[i+3]}, " ")
		lines = append(lines, RewriteLine{text, !slices.Equal(words[i:i+4], defaults[i:i+4])})
	}
	return lines
}

// memoryText writes bytes with the largest unit that leaves no rest.
func memoryText(n uint64) string {
	switch {
	case n == 0:
	case n%(1<<30) == 0:
		return strconv.FormatUint(n>>30, 10) + "gb"
	case n%(1<<20) == 0:
		return strconv.FormatUint(n>>20, 10) + "mb"
	case n%(1<<10) == 0:
		return strconv.FormatUint(n>>10, 10) + "kb"
	}
	return strconv.FormatUint(n, 10)
}

func quoted(s string) string { return string(quoting.Append(nil, s)) }
