package config

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Config holds the values of the parameters of CONFIG GET and SET.
type Config struct {
	*declared
	derived
	limits   *datastore.Limits
	values   []string                          // by the index in Params; shared as long as owned is false
	owned    bool                              // values belongs to this Config
	refusals map[int]func(value string) string // by the index in Params; see RefuseBy

	PasswordChanged       func(password string)
	ReplicationChanged    func() // called after a parameter of replication has changed. Optional
	PersistenceChanged    func() // called after a parameter of files has changed. Optional.
	ClientMemoryChanged   func() // called after ClientMemory has changed
	MaxTrackedKeysChanged func() // called after MaxTrackedKeys has changed
	// ConnLimitsChanged is called when the value of ConnLimits has changed. Optional.
	ConnLimitsChanged func()
	// Apply carries out new values of parameters that concern the program around the engine: see
	// engine.Options.ApplyConfig. Optional.
	Apply      func(name string, value func(name string) string) error
	connLimits atomic.Pointer[ConnLimits]
}

// derived are values of parameters in the form in which they are read.
type derived struct {
	requirePass  string
	Notify       Notify
	PubSubLimit  OutputLimit
	NormalLimit  OutputLimit
	ReplicaLimit OutputLimit
	Memory       Memory
	ClientMemory ClientMemory

	SlowlogSlowerThan int64 // slowlog-log-slower-than, us
	SizeLog           SizeLog
	LatencyThreshold  int64 // latency-monitor-threshold, ms
	LatencyTracking   bool  // latency-tracking
	MaxTrackedKeys    int64 // tracking-table-max-keys; 0: unlimited
	TimeEveryCall     bool  // short commands are timed at each call too
}

// SizeLog are the limits of COMMANDLOG in bytes, from which a request or a reply is logged; -1:
// none is.
type SizeLog struct {
	On             bool // the server has them, and one is not -1
	Request, Reply int64
}

func (l *SizeLog) update() { l.On = l.Request >= 0 || l.Reply >= 0 }

// declared is what all configurations of a server share. Nobody changes it.
type declared struct {
	Params []Param
	Names  map[string]int // from name and alias, in lower case, to the index in Params
	dir    int            // the index of dir, whose default is the working directory
}

// declarations are made once for each server.
var declarations = servers.Lazily(func(s servers.Server) *declared {
	d := &declared{Params: paramsOf(s), Names: map[string]int{}}
	for i := range d.Params {
		p := &d.Params[i]
		d.Names[p.Name] = i
		if p.Alias != "" {
			d.Names[p.Alias] = i
		}
	}
	d.dir = d.Names["dir"]
	return d
})

// defaults is a Config in which nothing has been set. New copies it.
var defaults = servers.Lazily(func(s servers.Server) *Config {
	c := &Config{declared: declarations(s), limits: datastore.DefaultLimits(), owned: true}
	c.values = make([]string, len(c.Params))
	for i := range c.Params {
		if p := &c.Params[i]; p.limit == nil {
			c.SetAt(i, p.Def)
		}
	}
	c.SetAt(c.dir, workingDirectory())
	c.changeConnLimits(func(l *ConnLimits) { l.JoinedQuotes = s.Has(servers.JoinedQuotes) })
	c.owned = false
	return c
})

// workingDirectory returns the default of dir. Without a directory there is no name to show.
func workingDirectory() string {
	dir, _ := os.Getwd()
	return dir
}

// New returns a Config with the parameters and defaults of a server. The values of parameters about
// encodings live in limits.
func New(limits *datastore.Limits, s servers.Server) *Config {
	d := defaults(s)
	c := &Config{declared: d.declared, derived: d.derived, limits: limits, values: d.values}
	c.connLimits.Store(d.connLimits.Load())
	limits.LFU, limits.LazyFree = d.limits.LFU, d.limits.LazyFree // follow from parameters
	c.setValue(c.dir, workingDirectory())
	return c
}

// setValue stores the text of a value.
func (c *Config) setValue(i int, value string) {
	if c.values[i] == value {
		return
	}
	if !c.owned {
		c.values, c.owned = slices.Clone(c.values), true
	}
	c.values[i] = value
}

// RefuseBy sets the function that returns why a valid value of a parameter cannot take effect, or
// "". It replaces that of the declaration.
func (c *Config) RefuseBy(name string, refuse func(value string) string) {
	if c.refusals == nil {
		c.refusals = map[int]func(string) string{}
	}
	c.refusals[c.Names[name]] = refuse
}

// RefusalAt returns the function that returns why a valid value of parameter i cannot take effect,
// or "". It is nil if every valid value can.
func (c *Config) RefusalAt(i int) func(value string) string {
	if refuse := c.refusals[i]; refuse != nil {
		return refuse
	}
	return c.Params[i].refuse
}

// ProtoMaxBulkLen returns the length in bytes of the longest argument that a client may send. It
// may be called from any goroutine.
func (c *Config) ProtoMaxBulkLen() int64 { return c.connLimits.Load().MaxBulkLen }

// Value returns the value of a parameter, or "" for an unknown one.
func (c *Config) Value(name string) string {
	i, ok := c.Names[name]
	if !ok {
		return ""
	}
	return c.ValueAt(i)
}

// Int returns the value of a numeric parameter.
func (c *Config) Int(name string) int64 {
	n, _ := strconv.ParseInt(c.Value(name), 10, 64)
	return n
}

// Fix sets a parameter to a value that the server was started with, even an immutable parameter.
// The error says that the parameter is unknown, or has Redis's text about a wrong value.
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

// ValueAt returns the value of parameter i of Params.
func (c *Config) ValueAt(i int) string {
	if p := &c.Params[i]; p.limit != nil {
		return strconv.Itoa(*p.limit(c.limits))
	}
	return c.values[i]
}

// ShownAt returns the value of parameter i as CONFIG GET shows it.
func (c *Config) ShownAt(i int) string {
	if show := c.Params[i].show; show != nil {
		return show(c.ValueAt(i))
	}
	return c.ValueAt(i)
}

// SetAt sets parameter i to a checked value, and updates what is derived from it.
func (c *Config) SetAt(i int, value string) {
	p := &c.Params[i]
	if p.limit != nil {
		n, _ := strconv.ParseInt(value, 10, 64)
		*p.limit(c.limits) = int(n)
		return
	}
	c.setValue(i, value)
	if p.apply != nil {
		n, _ := strconv.ParseInt(value, 10, 64)
		p.apply(c, value, n)
	}
	if p.changed != nil {
		if call := p.changed(c); call != nil {
			call()
		}
	}
}

// updateOwnIntegers notes whether the eviction policy needs the age or frequency of each value, so
// that keys cannot share values.
func (c *Config) updateOwnIntegers() {
	rank := c.Memory.Policy.Rank
	c.limits.OwnIntegers = c.Memory.Limit != 0 && c.Memory.Evicts && (rank == datastore.EvictIdle || rank == datastore.EvictRare)
}

// timedBelow is the limit of slowlog-log-slower-than, in us, below which all commands are timed.
const timedBelow = 1000

func (c *Config) updateTimeEveryCall() {
	c.TimeEveryCall = c.SlowlogSlowerThan >= 0 && c.SlowlogSlowerThan < timedBelow || c.LatencyThreshold > 0
}
