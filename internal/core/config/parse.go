package config

import (
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/parse"
)

// Parse checks a new value and returns it as CONFIG GET will return it. problem is Redis's text
// about what is wrong with it, or "".
func (p *Param) Parse(value, present string) (canonical, problem string) {
	if p.Kind != binaryParam && p.Kind != intParam && p.Kind != ListParam {
		value, _, _ = strings.Cut(value, "\x00") // Redis reads these as C strings
	}
	switch p.Kind {
	case boolParam:
		v := strings.ToLower(value)
		if v != "yes" && v != "no" {
			return "", "argument must be 'yes' or 'no'"
		}
		return v, ""
	case enumParam:
		for _, e := range p.enum {
			if !strings.EqualFold(e, value) {
				continue
			}
			if other, ok := p.synonyms[e]; ok {
				e = other
			}
			return e, ""
		}
		return "", oneOfThese(p.enum)
	case intParam, memoryParam:
		return p.parseNumber(value)
	case checkedParam, ListParam:
		return p.check(value, present)
	}
	if p.file != "" {
		return value, p.fileProblem(value)
	}
	return value, ""
}

// fileProblem says why the name of a file in the directory dir cannot be value, or "".
func (p *Param) fileProblem(value string) string {
	switch {
	case value == "" && p.Name != "dbfilename":
		return p.Name + " can't be empty"
	case strings.ContainsAny(value, "/\\"):
		return p.Name + " can't be a path, just a " + string(p.file)
	}
	return ""
}

func oneOfThese(values []string) string {
	return "argument(s) must be one of the following: " + strings.Join(values, ", ")
}

func (p *Param) parseNumber(value string) (string, string) {
	var n int64
	if p.Kind == memoryParam {
		u, ok := ParseMemory(value)
		if !ok {
			return "", "argument must be a memory value"
		}
		if p.max < 0 { // unsigned: any value will do
			return strconv.FormatUint(u, 10), ""
		}
		if u > uint64(p.max) || u < uint64(p.min) {
			return "", p.outOfRange()
		}
		n = int64(u)
	} else {
		var ok bool
		if n, ok = parse.Int(value); !ok {
			return "", "argument couldn't be parsed into an integer"
		}
		if n < p.min || n > p.max {
			return "", p.outOfRange()
		}
	}
	if p.clampMax != 0 {
		n = max(p.clampMin, min(n, p.clampMax))
	}
	return strconv.FormatInt(n, 10), ""
}

// Settled returns the value that CONFIG SET stores when it changes the parameter to a parsed value.
func (p *Param) Settled(value string) string {
	if n, _ := strconv.ParseInt(value, 10, 64); p.leastSet != 0 {
		return strconv.FormatInt(max(n, p.leastSet), 10)
	}
	return value
}

func (p *Param) outOfRange() string {
	return "argument must be between " + strconv.FormatInt(p.min, 10) + " and " + strconv.FormatInt(p.max, 10) + " inclusive"
}

// ParseMemory reads bytes with an optional unit: k, m, g are powers of 1000, kb, mb, gb of 1024.
// Digits past 64 bits saturate, as C's strtoull does; no digits at all are zero.
func ParseMemory(s string) (uint64, bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	unit, ok := map[string]uint64{"": 1, "b": 1, "k": 1000, "kb": 1 << 10, "m": 1e6, "mb": 1 << 20,
		"g": 1e9, "gb": 1 << 30}[strings.ToLower(s[i:])]
	if !ok {
		return 0, false
	}
	n := uint64(0)
	if i > 0 {
		n, _ = strconv.ParseUint(s[:i], 10, 64) // saturates
	}
	return n * unit, true
}

// parseMemoryOrPercent reads bytes, or a share of maxmemory with a percent sign. Redis stores
// shares as negative numbers, so that a number of bytes beyond 63 bits is a share too.
func parseMemoryOrPercent(value, _ string) (string, string) {
	const problem, tooMuch = "argument must be a memory or percent value", "percentage argument must be less or equal to 100"
	var n int64
	if digits, percent := strings.CutSuffix(value, "%"); percent {
		share, ok := parse.Int(digits)
		if !ok || share < 0 {
			return "", problem
		}
		n = -share
	} else {
		u, ok := ParseMemory(value)
		if !ok {
			return "", problem
		}
		n = int64(u)
	}
	switch {
	case n < -100:
		return "", tooMuch
	case n < 0:
		return strconv.FormatInt(-n, 10) + "%", ""
	}
	return strconv.FormatInt(n, 10), ""
}

// leadingLong reads a decimal number as C's strtoll does: white space and a sign may come first,
// too large numbers saturate, no digits are zero. It returns what follows the number.
func leadingLong(s string) (n int64, rest string) {
	i := 0
	for i < len(s) && parse.IsSpace(s[i]) {
		i++
	}
	start := i
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == digits {
		return 0, s
	}
	n, _ = strconv.ParseInt(s[start:i], 10, 64) // saturates
	return n, s[i:]
}

// parseHostname takes letters, digits, hyphens and dots.
func parseHostname(value, _ string) (string, string) {
	if len(value) >= 256 {
		return "", "Hostnames must be less than 256 characters"
	}
	for _, b := range []byte(value) {
		if lower := b | 0x20; (lower < 'a' || lower > 'z') && (b < '0' || b > '9') && b != '-' && b != '.' {
			return "", "Hostnames may only contain alphanumeric characters, hyphens or dots"
		}
	}
	return value, ""
}

// parseTitle accepts a template with known names in braces. For a server with only a port, the
// resulting title must not be blank.
func parseTitle(value, _ string) (string, string) {
	const problem = "template format is invalid or contains unknown variables"
	known := map[string]string{"title": "", "listen-addr": "a", "server-mode": "", "port": "0", "tls-port": "0",
		"config-file": "-", "unixsocket": ""}
	var title strings.Builder
	for rest := value; ; {
		before, after, found := strings.Cut(rest, "{")
		title.WriteString(before)
		if !found {
			break
		}
		if strings.HasPrefix(after, "{") { // a doubled brace stands for itself
			title.WriteByte('{')
			rest = after[1:]
			continue
		}
		name, more, closed := strings.Cut(after, "}")
		text, ok := known[name]
		if !closed || !ok {
			return "", problem
		}
		title.WriteString(text)
		rest = more
	}
	if strings.TrimSpace(title.String()) == "" {
		return "", problem
	}
	return value, ""
}

// parseOctal reads the permissions of a file.
func parseOctal(value, _ string) (string, string) {
	n, err := strconv.ParseInt(value, 8, 64)
	switch {
	case value == "":
		return "0", ""
	case err != nil:
		return "", "argument couldn't be parsed as an octal number"
	case n < 0 || n > 0o777:
		return "", "argument must be between 0 and 777 inclusive"
	}
	return strconv.FormatInt(n, 8), ""
}

// parseOOMValues reads the three values of oom-score-adj-values.
func parseOOMValues(value, _ string) (string, string) {
	words := splitCWords(value)
	if len(words) != 3 {
		return "", "wrong number of arguments"
	}
	for i, w := range words {
		n, rest := leadingLong(w)
		if rest != "" || n < -2000 || n > 2000 {
			return "", "Invalid oom-score-adj-values, elements must be between -2000 and 2000."
		}
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, " "), ""
}

// parsePercentiles reads the percentiles that INFO latencystats shows.
func parsePercentiles(value, _ string) (string, string) {
	words := SplitWords(value)
	for i, w := range words {
		f, ok := parse.Float(w)
		if !ok {
			return "", "Invalid latency-tracking-info-percentiles parameters"
		}
		if f < 0 || f > 100 {
			return "", "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]"
		}
		words[i] = shortDecimal(f)
	}
	return strings.Join(words, " "), ""
}

// shortDecimal formats f with at most six decimals and without trailing zeros.
func shortDecimal(f float64) string {
	if f == 0 && !math.Signbit(f) {
		return "0"
	}
	s := strings.TrimRight(strconv.FormatFloat(f, 'f', 6, 64), "0")
	return strings.TrimSuffix(s, ".")
}
