package command

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Config holds the values of the parameters of CONFIG GET and SET; params declares them.
type Config struct {
	limits *datastore.Limits
	params []param
	names  map[string]int // name and alias, lower case, to the place in params
	values []string       // as CONFIG GET answers them

	requirePass  string
	protoMaxBulk atomic.Int64
}

// NewConfig returns Redis 7.0's defaults; parameters for encodings are read from and written to limits.
func NewConfig(limits *datastore.Limits) *Config {
	c := &Config{limits: limits, params: params(), names: map[string]int{}}
	c.values = make([]string, len(c.params))
	for i := range c.params {
		p := &c.params[i]
		c.names[p.name] = i
		if p.alias != "" {
			c.names[p.alias] = i
		}
		if p.limit == nil {
			c.store(i, p.def)
		}
	}
	return c
}

// RequirePass is the password that clients must give, or "".
func (c *Config) RequirePass() string { return c.requirePass }

// ProtoMaxBulkLen is the length in bytes of the longest argument that a client may send. It may be
// asked from any goroutine.
func (c *Config) ProtoMaxBulkLen() int64 { return c.protoMaxBulk.Load() }

// Value is the value of a parameter as CONFIG GET answers it, or "" for an unknown one.
func (c *Config) Value(name string) string {
	i, ok := c.names[name]
	if !ok {
		return ""
	}
	return c.value(i)
}

// Int is the value of a numeric parameter.
func (c *Config) Int(name string) int64 {
	n, _ := strconv.ParseInt(c.Value(name), 10, 64)
	return n
}

// Fix gives a parameter the value that the server was started with, be it immutable or not.
func (c *Config) Fix(name, value string) {
	if i, ok := c.names[name]; ok {
		c.store(i, value)
	}
}

func (c *Config) value(i int) string {
	if p := &c.params[i]; p.limit != nil {
		return strconv.Itoa(*p.limit(c.limits))
	}
	return c.values[i]
}

// store keeps a checked value and hands it to those who use it.
func (c *Config) store(i int, value string) {
	c.values[i] = value
	p := &c.params[i]
	n, _ := strconv.ParseInt(value, 10, 64)
	switch {
	case p.limit != nil:
		*p.limit(c.limits) = int(n)
	case p.name == "requirepass":
		c.requirePass = value
	case p.name == "proto-max-bulk-len":
		c.protoMaxBulk.Store(n)
	}
}

// parse checks a new value and returns it as CONFIG GET will answer it; problem is Redis's text of
// what is wrong with it, or "".
func (p *param) parse(value string) (canonical, problem string) {
	if p.kind != stringParam && p.kind != intParam && p.kind != saveParam {
		value, _, _ = strings.Cut(value, "\x00") // Redis reads these as C strings
	}
	switch p.kind {
	case boolParam:
		v := strings.ToLower(value)
		if v != "yes" && v != "no" {
			return "", "argument must be 'yes' or 'no'"
		}
		return v, ""
	case enumParam:
		for _, e := range p.enum {
			if strings.EqualFold(e, value) {
				return e, ""
			}
		}
		return "", "argument(s) must be one of the following: " + strings.Join(p.enum, ", ")
	case intParam, memoryParam:
		return p.parseNumber(value)
	case saveParam:
		return parseSave(value)
	case eventsParam:
		return parseEvents(value)
	}
	return value, ""
}

func (p *param) parseNumber(value string) (string, string) {
	var n int64
	if p.kind == memoryParam {
		u, ok := parseMemory(value)
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
		if n, ok = parseInt(value); !ok {
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

func (p *param) outOfRange() string {
	return "argument must be between " + strconv.FormatInt(p.min, 10) + " and " + strconv.FormatInt(p.max, 10) + " inclusive"
}

// parseMemory reads bytes with an optional unit: k, m, g are powers of 1000, kb, mb, gb of 1024. Digits
// past 64 bits saturate, as C's strtoull does; no digits at all are zero.
func parseMemory(s string) (uint64, bool) {
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

// parseSave reads pairs of seconds and changes.
func parseSave(value string) (string, string) {
	if value == "" {
		return "", ""
	}
	words := strings.Split(value, " ")
	if len(words)%2 != 0 {
		return "", errSaveParams
	}
	for i, w := range words {
		n, ok := parseInt(w)
		if !ok || i%2 == 0 && n < 1 || n < 0 {
			return "", errSaveParams
		}
	}
	return value, ""
}

const errSaveParams = "Invalid save parameters"

// eventFlags are the letters of notify-keyspace-events that A stands for.
const eventFlags = "g$lshzxetd"

// parseEvents brings the letters of notify-keyspace-events into Redis's order.
func parseEvents(value string) (string, string) {
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
		if has("n") {
			b.WriteString("n")
		}
	}
	for _, f := range []string{"K", "E", "m"} {
		if has(f) {
			b.WriteString(f)
		}
	}
	return b.String(), ""
}
