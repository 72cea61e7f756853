package config

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Config holds the values of the parameters of CONFIG GET and SET; params declares them.
type Config struct {
	limits *datastore.Limits
	Params []Param
	Names  map[string]int // name and alias, lower case, to the place in params
	values []string       // as CONFIG GET answers them

	requirePass     string
	PasswordChanged func(password string)
	Notify          Notify
	PubSubLimit     OutputLimit
	NormalLimit     OutputLimit
	Memory          Memory
	Clients         ClientMemory
	ClientsLimited  func() // called after clients has been set
	TrackedLimited  func() // called after TrackedKeys has been set
	// ConnLimitsChanged is called when ConnLimits would answer something else. nil: nobody cares.
	ConnLimitsChanged func()
	// ReloadTLS reads the certificates again when CONFIG SET names one of their parameters, whose
	// values it may ask. After an error all parameters of the command are as before. nil: nothing is
	// encrypted.
	ReloadTLS func(value func(name string) string) error
	conn      atomic.Pointer[ConnLimits]

	SlowerThan       int64 // slowlog-log-slower-than, us
	LatencyThreshold int64 // latency-monitor-threshold, ms
	Tracking         bool  // latency-tracking
	TrackedKeys      int64 // tracking-table-max-keys; 0: no limit
	TimeAll          bool  // quick commands are timed each
}

// New returns Redis 7.0's defaults; parameters for encodings are read from and written to limits.
func New(limits *datastore.Limits) *Config {
	c := &Config{limits: limits, Params: params(), Names: map[string]int{}}
	c.values = make([]string, len(c.Params))
	for i := range c.Params {
		p := &c.Params[i]
		c.Names[p.Name] = i
		if p.Alias != "" {
			c.Names[p.Alias] = i
		}
		if p.limit == nil {
			c.SetAt(i, p.Def)
		}
	}
	return c
}

// ProtoMaxBulkLen is the length in bytes of the longest argument that a client may send. It may be
// asked from any goroutine.
func (c *Config) ProtoMaxBulkLen() int64 { return c.conn.Load().MaxBulkLen }

// Value is the value of a parameter, or "" for an unknown one.
func (c *Config) Value(name string) string {
	i, ok := c.Names[name]
	if !ok {
		return ""
	}
	return c.ValueAt(i)
}

// Int is the value of a numeric parameter.
func (c *Config) Int(name string) int64 {
	n, _ := strconv.ParseInt(c.Value(name), 10, 64)
	return n
}

// Fix gives a parameter the value that the server was started with, be it immutable or not. The
// error is the text of Redis's error: there is no such parameter, or the value is wrong.
func (c *Config) Fix(name, value string) error {
	i, ok := c.Names[name]
	if !ok {
		return fmt.Errorf("unknown parameter %q", name)
	}
	v, problem := c.Params[i].Parse(value, c.ValueAt(i))
	if problem != "" {
		return fmt.Errorf("%s %q: %s", name, value, problem)
	}
	c.SetAt(i, v)
	return nil
}

func (c *Config) ValueAt(i int) string {
	if p := &c.Params[i]; p.limit != nil {
		return strconv.Itoa(*p.limit(c.limits))
	}
	return c.values[i]
}

// shown is the value as CONFIG GET answers it.
func (c *Config) ShownAt(i int) string {
	if show := c.Params[i].show; show != nil {
		return show(c.ValueAt(i))
	}
	return c.ValueAt(i)
}

// store keeps a checked value and hands it to those who use it.
func (c *Config) SetAt(i int, value string) {
	p := &c.Params[i]
	n, _ := strconv.ParseInt(value, 10, 64)
	if p.limit != nil {
		*p.limit(c.limits) = int(n)
		return
	}
	c.values[i] = value
	if p.hand != nil {
		p.hand(c, value, n)
	}
}

// timedBelow is the limit of slowlog-log-slower-than, in us, below which all commands are timed.
const timedBelow = 1000

func (c *Config) updateTimeAll() {
	c.TimeAll = c.SlowerThan >= 0 && c.SlowerThan < timedBelow || c.LatencyThreshold > 0
}
