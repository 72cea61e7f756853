package config

// ConnLimits are the parameters that limit connections. A value is immutable.
type ConnLimits struct {
	MaxClients    int64 // open connections
	MaxBulkLen    int64 // bytes of the longest argument
	MaxQuery      int64 // buffered bytes of an incomplete request, or behind a blocked command
	KeepAlive     int64 // seconds between probes of an idle connection; 0: none
	IdleTimeout   int64 // seconds after which an idle connection is closed; 0: never
	ReportBuffers int64 // 1: connections report large buffers immediately; 0: they do not
	MaxReplies    int64 // bytes of replies that may wait for a client that is not a subscriber; 0: unlimited
	JoinedQuotes  bool  // a word of an inline request goes on behind a closing quote; follows from the server
}

// ConnLimits returns the present limits. It may be called from any goroutine.
func (c *Config) ConnLimits() *ConnLimits { return c.connLimits.Load() }

// limitsConn makes a parameter one of ConnLimits.
func (p Param) limitsConn(field func(*ConnLimits) *int64) Param {
	return p.appliedBy(func(c *Config, _ string, n int64) { c.changeConnLimits(func(l *ConnLimits) { *field(l) = n }) })
}

func (c *Config) changeConnLimits(change func(*ConnLimits)) {
	next := ConnLimits{}
	if now := c.connLimits.Load(); now != nil {
		next = *now
	}
	change(&next)
	c.connLimits.Store(&next)
	if c.ConnLimitsChanged != nil {
		c.ConnLimitsChanged()
	}
}

// setClientLimit sets maxmemory-clients.
func (c *Config) setClientLimit(value string) {
	c.ClientMemory.set(value)
	reports := int64(0)
	if c.ClientMemory != (ClientMemory{}) {
		reports = 1
	}
	c.changeConnLimits(func(l *ConnLimits) { l.ReportBuffers = reports })
	if c.ClientMemoryChanged != nil {
		c.ClientMemoryChanged()
	}
}
