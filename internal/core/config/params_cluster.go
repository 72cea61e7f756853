package config

import "net/netip"

// clusterParams are about the cluster.
func clusterParams() []Param {
	const reported = "reported by CLUSTER NODES, SLOTS and SHARDS"
	return []Param{
		yesNo("cluster-enabled", "no").fixed().effect("set by engine.Options.Cluster"),
		text("cluster-config-file", "nodes.conf").fixed().noEffect(aloneNode),
		numParam("cluster-port", "0", 0, 65535).fixed().effect("reported by CLUSTER NODES"),
		yesNo("cluster-allow-pubsubshard-when-down", "yes").effect("SPUBLISH and SSUBSCRIBE while slots are missing"),
		yesNo("cluster-allow-reads-when-down", "no").effect("which commands are refused while slots are missing"),
		yesNo("cluster-allow-replica-migration", "yes").noEffect(aloneNode),
		numParam("cluster-announce-bus-port", "0", 0, 65535).effect("reported by CLUSTER NODES"),
		checked("cluster-announce-hostname", "", parseHostname).effect(reported),
		text("cluster-announce-ip", "").effect(reported).later("8.6.0/-", func(p *Param) {
			p.Kind = checkedParam
			p.check = parseAddress("Cluster announce IP must be a valid IPv4 or IPv6 address", netip.Addr.IsValid)
		}),
		numParam("cluster-announce-port", "0", 0, 65535).effect(reported),
		numParam("cluster-announce-tls-port", "0", 0, 65535).noEffect(aloneNode),
		memRange("cluster-link-sendbuf-limit", "0", 0, -1).noEffect(aloneNode),
		numParam("cluster-migration-barrier", "1", 0, maxInt).noEffect(aloneNode),
		numParam("cluster-node-timeout", "15000", 0, maxLong).noEffect(aloneNode),
		oneOf("cluster-preferred-endpoint-type", "ip", "ip", "hostname", "unknown-endpoint").effect("CLUSTER SLOTS and SHARDS"),
		yesNo("cluster-replica-no-failover", "no").alias("cluster-slave-no-failover").noEffect(aloneNode),
		numParam("cluster-replica-validity-factor", "10", 0, maxInt).alias("cluster-slave-validity-factor").noEffect(aloneNode),
		yesNo("cluster-require-full-coverage", "yes").effect("whether keys are served while slots are missing"),
	}
}
