package command

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Config holds the values of the parameters of CONFIG GET and SET; params declares them.
type Config struct {
	limits *datastore.Limits
	params []param
	names  map[string]int // name and alias, lower case, to the place in params
	values []string       // as CONFIG GET answers them

	requirePass     string
	passwordChanged func(password string)
	notify          notifyConfig
	pubSubLimit     outputLimit
	normalLimit     outputLimit
	memory          memoryConfig
	clients         clientConfig
	clientsLimited  func() // called after clients has been set
	trackedLimited  func() // called after trackedKeys has been set
	// ConnLimitsChanged is called when ConnLimits would answer something else. nil: nobody cares.
	ConnLimitsChanged func()
	// ReloadTLS reads the certificates anew when CONFIG SET names one of their parameters, whose values it may ask. After an error all
	// parameters of the command are as before. nil: nothing is encrypted.
	ReloadTLS func(value func(name string) string) error
	conn      atomic.Pointer[ConnLimits]

	slowerThan       int64 // slowlog-log-slower-than, us
	latencyThreshold int64 // latency-monitor-threshold, ms
	tracking         bool  // latency-tracking
	trackedKeys      int64 // tracking-table-max-keys; 0 is no limit
	timeAll          bool  // quick commands are timed each
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

// ProtoMaxBulkLen is the length in bytes of the longest argument that a client may send. It may be
// asked from any goroutine.
func (c *Config) ProtoMaxBulkLen() int64 { return c.conn.Load().MaxBulkLen }

// Value is the value of a parameter, or "" for an unknown one.
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

// Fix gives a parameter the value that the server was started with, be it immutable or not. The error tells that there is no such
// parameter, or in Redis's words what is wrong with the value.
func (c *Config) Fix(name, value string) error {
	i, ok := c.names[name]
	if !ok {
		return fmt.Errorf("unknown parameter %q", name)
	}
	v, problem := c.params[i].parse(value, c.value(i))
	if problem != "" {
		return fmt.Errorf("%s %q: %s", name, value, problem)
	}
	c.store(i, v)
	return nil
}

func (c *Config) value(i int) string {
	if p := &c.params[i]; p.limit != nil {
		return strconv.Itoa(*p.limit(c.limits))
	}
	return c.values[i]
}

// shown is the value as CONFIG GET answers it.
func (c *Config) shown(i int) string {
	if show := c.params[i].show; show != nil {
		return show(c.value(i))
	}
	return c.value(i)
}

// store keeps a checked value and hands it to those who use it.
func (c *Config) store(i int, value string) {
	p := &c.params[i]
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

func (c *Config) tellTiming() {
	c.timeAll = c.slowerThan >= 0 && c.slowerThan < timedBelow || c.latencyThreshold > 0
}
