package config

import (
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// paramChange is what a parameter has otherwise on some servers.
type paramChange struct {
	since servers.Since
	set   func(p *Param)
}

// since says which servers have the parameter.
func (p Param) since(s servers.Since) Param { p.from = s; return p }

// until says which servers have it no more.
func (p Param) until(s servers.Since) Param { p.gone = s; return p }

// later changes the parameter on some servers.
func (p Param) later(s servers.Since, set func(p *Param)) Param {
	p.changes = append(slices.Clip(p.changes), paramChange{s, set})
	return p
}

// defaultLater changes the default.
func (p Param) defaultLater(s servers.Since, def string) Param {
	return p.later(s, func(p *Param) { p.Def = def })
}

// renamedLater gives the parameter another name, and makes the first one its alias.
func (p Param) renamedLater(s servers.Since, name string) Param {
	return p.later(s, func(p *Param) { p.Name, p.Alias = name, p.Name })
}

// paramsOf declares every parameter of a server.
func paramsOf(s servers.Server) []Param {
	var all []Param
	for _, p := range params() {
		if !s.HasSince(p.from) || p.gone != "" && s.HasSince(p.gone) {
			continue
		}
		for _, c := range p.changes {
			if s.HasSince(c.since) {
				c.set(&p)
			}
		}
		all = append(all, p)
	}
	return all
}

// withoutRDMA is why a parameter of RDMA cannot be set.
func withoutRDMA(string) string { return "No RDMA building support." }

// parseAddress returns a check for IP addresses of a family. An empty text is none.
func parseAddress(problem string, family func(netip.Addr) bool) func(value, present string) (string, string) {
	return func(value, _ string) (string, string) {
		if a, err := netip.ParseAddr(value); value != "" && (err != nil || !family(a) || a.Zone() != "") {
			return "", problem
		}
		return value, ""
	}
}

// parseNodeName takes all but some signs.
func parseNodeName(value, _ string) (string, string) {
	switch {
	case len(value) >= 256:
		return "", "Announced human node name must be less than 256 characters"
	case strings.ContainsAny(value, "!#$%&()*+:;<>?@[]^{|}~"):
		return "", "Announced human node name contained invalid character"
	}
	return value, ""
}

// parseLocale takes the locales that every system has.
func parseLocale(value, _ string) (string, string) {
	switch value {
	case "", "C", "POSIX":
		return value, ""
	}
	return "", "Invalid locale name"
}

// parseMemoryOrNone takes an amount of memory, or -1 for no limit.
func parseMemoryOrNone(value, _ string) (string, string) {
	if value == "-1" {
		return value, ""
	}
	u, ok := ParseMemory(value)
	switch {
	case strings.HasPrefix(value, "-") || u > math.MaxInt64:
		return "", "argument must be between -1 and 9223372036854775807 inclusive"
	case !ok && value != "":
		return "", "argument must be a memory value"
	}
	return strconv.FormatUint(u, 10), ""
}

// laterParams are parameters that Redis 7.0 does not have.
func laterParams() []Param {
	const (
		ownFormat = "the log has the format of Redis 7.0"
		noSlots   = "slots do not move between nodes"
		noRDMA    = "there is no RDMA"
	)
	return []Param{
		numParam("active-defrag-cycle-us", "500", 0, 100000).noEffect(noDefrag).since("-/8.1.0"),
		numParam("aof-load-corrupt-tail-max-size", "0", 0, maxLong).noEffect("only a torn end is cut off").since("8.6.0/-"),
		Param{Name: "availability-zone", Kind: binaryParam}.effect("HELLO and INFO").since("-/8.0.0"),
		checked("cluster-announce-client-ipv4", "", parseAddress("Invalid IPv4 address", netip.Addr.Is4)).noEffect(aloneNode).since("-/8.0.0"),
		checked("cluster-announce-client-ipv6", "", parseAddress("Invalid IPv6 address", netip.Addr.Is6)).noEffect(aloneNode).since("-/8.0.0"),
		numParam("cluster-announce-client-port", "0", 0, 65535).noEffect(aloneNode).since("-/9.1.0"),
		numParam("cluster-announce-client-tls-port", "0", 0, 65535).noEffect(aloneNode).since("-/9.1.0"),
		checked("cluster-announce-human-nodename", "", parseNodeName).noEffect(aloneNode).since("7.2.0"),
		numParam("cluster-blacklist-ttl", "60", math.MinInt64, maxLong).noEffect(aloneNode).since("-/8.0.0"),
		numParam("cluster-compatibility-sample-ratio", "0", 0, 100).noEffect(aloneNode).since("8.0.0/-"),
		oneOf("cluster-config-save-behavior", "sync", "sync", "best-effort").noEffect(aloneNode).since("-/9.1.0"),
		numParam("cluster-databases", "1", 1, maxInt).fixed().effect("set by engine.Options.Fixed").since("-/9.0.0"),
		numParam("cluster-manual-failover-timeout", "5000", 1, maxInt).noEffect(aloneNode).since("-/8.1.0"),
		memRange("cluster-slot-migration-handoff-max-lag-bytes", "1048576", 0, maxLong).noEffect(noSlots).since("8.4.0/-"),
		numParam("cluster-slot-migration-log-max-len", "1000", 0, maxLong).noEffect(noSlots).since("-/9.0.0"),
		numParam("cluster-slot-migration-write-pause-timeout", "10000", 0, maxLong).noEffect(noSlots).since("8.4.0/-"),
		oneOf("cluster-slot-stats-enabled", "no", "no", "yes", "cpu", "net", "mem").
			later("-/8.0.0", func(p *Param) { p.Kind, p.enum = boolParam, nil }).noEffect(aloneNode).since("8.2.0/8.0.0"),
		numParam("commandlog-large-reply-max-len", "128", 0, maxLong).effect("COMMANDLOG").since("-/8.1.0"),
		numParam("commandlog-large-request-max-len", "128", 0, maxLong).effect("COMMANDLOG").since("-/8.1.0"),
		numParam("commandlog-reply-larger-than", "1048576", -1, maxLong).effect("COMMANDLOG").
			appliedBy(func(c *Config, _ string, n int64) { c.SizeLog.Reply = n; c.SizeLog.update() }).since("-/8.1.0"),
		numParam("commandlog-request-larger-than", "1048576", -1, maxLong).effect("COMMANDLOG").
			appliedBy(func(c *Config, _ string, n int64) { c.SizeLog.Request = n; c.SizeLog.update() }).since("-/8.1.0"),
		yesNo("dual-channel-replication-enabled", "no").noEffect("a copy and its backlog share a connection").since("-/8.0.0"),
		numParam("events-per-io-thread", "2", 0, maxInt).noEffect(goroutines).since("-/8.0.0").until("-/8.1.0"),
		yesNo("extended-redis-compatibility", "no").effect("the names in HELLO and INFO").since("-/8.0.0"),
		text("hash-seed", "").fixed().noEffect("tables have seeds of their own").since("-/9.1.0"),
		yesNo("hide-user-data-from-log", "no").noEffect("the log has no values").since("8.0.0/8.0.0").defaultLater("-/8.0.0", "yes"),
		yesNo("import-mode", "no").effect("CLIENT IMPORT-SOURCE; keys expire as always").since("-/8.1.0"),
		yesNo("key-memory-histograms", "no").noEffect("INFO has no histograms of sizes").
			refusedBy(func(string) string { return "memory tracking cannot be enabled at runtime" }).since("8.6.0/-"),
		checked("locale-collate", "", parseLocale).emptyStays().noEffect("SORT compares bytes").since("7.2.0"),
		oneOf("log-format", "legacy", "legacy", "logfmt").
			later("-/9.1.0", func(p *Param) { p.enum = append(p.enum, "json") }).noEffect(ownFormat).since("-/8.1.0"),
		oneOf("log-timestamp-format", "legacy", "legacy", "iso8601", "milliseconds").noEffect(ownFormat).since("-/8.1.0"),
		numParam("lookahead", "16", 1, maxInt).noEffect(goroutines).since("8.4.0/-"),
		numParam("max-new-connections-per-cycle", "10", 1, 1000).noEffect("connections are taken when they come").since("7.2.0"),
		numParam("max-new-tls-connections-per-cycle", "1", 1, 1000).noEffect("connections are taken when they come").since("7.2.0"),
		yesNo("mptcp", "no").fixed().noEffect("connections are those of TCP").since("-/9.0.0"),
		numParam("prefetch-batch-max-size", "16", 0, 128).noEffect(goroutines).since("-/8.0.0"),
		oneOf("rdb-version-check", "strict", "strict", "relaxed").
			effect("relaxed reads dumps and RDB files of versions that Valkey does not know").since("-/8.1.0"),
		text("rdma-bind", "").noEffect(noRDMA).refusedBy(withoutRDMA).since("-/8.1.0"),
		numParam("rdma-completion-vector", "-1", -1, 1024).fixed().noEffect(noRDMA).since("-/8.1.0"),
		numParam("rdma-port", "0", 0, 65535).noEffect(noRDMA).refusedBy(withoutRDMA).since("-/8.1.0"),
		memRange("rdma-rx-size", "1048576", 64<<10, 16<<20).fixed().noEffect(noRDMA).since("-/8.1.0"),
		yesNo("repl-mptcp", "no").fixed().noEffect("connections are those of TCP").since("-/9.0.0"),
		memRange("replica-full-sync-buffer-limit", "0", 0, maxLong).noEffect("a copy and its backlog share a connection").since("8.0.0/-"),
		checked("slot-migration-max-failover-repl-bytes", "0", parseMemoryOrNone).noEffect(noSlots).since("-/9.0.0"),
		oneOf("tls-auth-clients-user", "off", "CN", "off").
			later("-/9.0.0", func(p *Param) { p.enum = []string{"CN", "URI", "off"} }).noEffect("users give passwords").since("8.6.0/9.0.0"),
		numParam("tls-auto-reload-interval", "0", 0, maxInt).noEffect("CONFIG SET reads the files again").since("-/9.1.0"),
		text("unixsocketgroup", "").fixed().noEffect("the socket has the group of the process").since("-/8.0.0"),
		yesNo("vset-force-single-threaded-execution", "no").noEffect("there are no vector sets").since("8.2.0/-"),
	}
}
