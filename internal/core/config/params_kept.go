package config

import "math"

// persistenceParams are about files of the data set.
func persistenceParams() []Param {
	return []Param{
		listOf("save", "", parseSave).ofFiles("after how many seconds with how many changes a dump is written"),
		text("dbfilename", "dump.rdb").named(fileName).protected().ofFiles("the name of the dump"),
		text("dir", "").protected().notLoading().ofFiles("the directory of the files; one engine at a time can use it"),
		yesNo("rdbchecksum", "yes").fixed().ofFiles("dumps have a checksum, which is verified"),
		yesNo("rdbcompression", "yes").ofFiles("long strings in dumps are compressed"),
		yesNo("rdb-del-sync-files", "no").noEffect("no file is left behind by a full copy"),
		yesNo("rdb-save-incremental-fsync", "yes").ofFiles("a dump is flushed after every 4 MiB"),
		yesNo("stop-writes-on-bgsave-error", "yes").ofFiles("writes are refused after a BGSAVE has failed, if there are save points"),
		yesNo("appendonly", "no").notLoading().ofFiles("an append-only file is written; without files, yes is refused").
			refusedBy(func(v string) string {
				if v == "no" {
					return ""
				}
				return "Unable to turn on AOF. Check server logs."
			}).allowedInFile(),
		text("appendfilename", "appendonly.aof").named(fileName).fixed().ofFiles("the first part of the names of an append-only file"),
		text("appenddirname", "appendonlydir").named(dirName).fixed().ofFiles("the directory of the append-only file, below dir"),
		oneOf("appendfsync", "everysec", "everysec", "always", "no").ofFiles("when the append-only file is flushed"),
		yesNo("no-appendfsync-on-rewrite", "no").ofFiles("everysec does not flush while a dump or base is being written"),
		numParam("auto-aof-rewrite-percentage", "100", 0, maxInt).ofFiles("the growth at which the append-only file is rewritten"),
		memRange("auto-aof-rewrite-min-size", "67108864", 0, maxLong).ofFiles("the size from which that happens"),
		yesNo("aof-disable-auto-gc", "no").until("7.2.0").ofFiles("superseded files stay"),
		yesNo("aof-load-truncated", "yes").ofFiles("the torn end of an append-only file is cut off at the start"),
		yesNo("aof-rewrite-incremental-fsync", "yes").ofFiles("a base file is flushed after every 4 MiB"),
		yesNo("aof-timestamp-enabled", "no").ofFiles("the append-only file has times"),
		yesNo("aof-use-rdb-preamble", "yes").ofFiles("the base of an append-only file is in the RDB format; no: commands"),
	}
}

// ofFiles sets the effect of a parameter of files, and makes its change known.
func (p Param) ofFiles(does string) Param {
	p.changed = func(c *Config) func() { return c.PersistenceChanged }
	return p.effect("with files (package persist): " + does)
}

// replicationParams are about masters and replicas.
func replicationParams() []Param {
	list := []Param{
		text("replicaof", "").alias("slaveof").fixed().effect("the master; REPLICAOF changes it"),
		Param{Name: "masterauth", Kind: binaryParam}.renamedLater("-/8.0.0", "primaryauth").effect("the password that the master gets"),
		text("masteruser", "").renamedLater("-/8.0.0", "primaryuser").effect("the user that the password of masterauth belongs to"),
		numParam("min-replicas-to-write", "0", 0, maxInt).alias("min-slaves-to-write").
			effect("writes are refused while fewer replicas keep up"),
		numParam("min-replicas-max-lag", "10", 0, maxInt).alias("min-slaves-max-lag").
			effect("the seconds after which a replica does not keep up"),
		oneOf("propagation-error-behavior", "ignore", "ignore", "panic", "panic-on-replicas").
			noEffect("an effect that fails on a replica is logged"),
		memRange("repl-backlog-size", "1048576", 1, maxLong).setsAtLeast(16384).defaultLater("-/8.0.0", "10485760").
			effect("how much of the stream is kept for replicas that come back"),
		numParam("repl-backlog-ttl", "3600", 0, maxLong).effect("the seconds after which the backlog is freed when there are no replicas"),
		yesNo("repl-disable-tcp-nodelay", "no").noEffect("the link to a replica never delays small packets"),
		oneOf("repl-diskless-load", "disabled", "disabled", "on-empty-db", "swapdb").
			later("8.2.0/-", func(p *Param) { p.enum = append(p.enum, "flushdb") }).
			later("-/8.1.0", func(p *Param) { p.enum = append(p.enum, "flush-before-load") }).notLoading().
			effect("swapdb: a replica serves its old data during a full copy"),
		yesNo("repl-diskless-sync", "yes").effect("whether a full copy waits for more replicas"),
		numParam("repl-diskless-sync-delay", "5", 0, maxInt).effect("the seconds that it waits"),
		numParam("repl-diskless-sync-max-replicas", "0", 0, maxInt).effect("the number of replicas for which it waits no longer"),
		numParam("repl-ping-replica-period", "10", 1, maxInt).alias("repl-ping-slave-period").
			effect("the seconds between pings of replicas"),
		numParam("repl-timeout", "60", 1, maxInt).effect("the seconds of silence after which a link ends"),
		text("replica-announce-ip", "").alias("slave-announce-ip").effect("the address that a replica reports to its master"),
		numParam("replica-announce-port", "0", 0, 65535).alias("slave-announce-port").
			effect("the port that a replica reports to its master"),
		yesNo("replica-announced", "yes").effect("reported by INFO"),
		yesNo("replica-ignore-disk-write-errors", "no").noEffect("a replica that cannot write its files continues"),
		yesNo("replica-ignore-maxmemory", "yes").alias("slave-ignore-maxmemory").
			effect("no: a replica evicts keys itself"),
		yesNo("replica-lazy-flush", "no").alias("slave-lazy-flush").noEffect(background).defaultLater("-/8.0.0", "yes"),
		numParam("replica-priority", "100", 0, maxInt).alias("slave-priority").effect("reported by INFO"),
		yesNo("replica-read-only", "yes").alias("slave-read-only").effect("clients cannot write to a replica"),
		yesNo("replica-serve-stale-data", "yes").alias("slave-serve-stale-data").
			effect("no: commands are refused while the link to the master is down"),
	}
	for i := range list {
		list[i].changed = func(c *Config) func() { return c.ReplicationChanged }
	}
	return list
}

const ErrTLSUpdate = "Unable to update TLS configuration. Check server logs."

// tlsParams are about encrypted connections. The program around the engine sets those that it has
// been started with.
func tlsParams() []Param {
	noTLS := func(v string) string {
		if v == "no" || v == "0" {
			return ""
		}
		return ErrTLSUpdate
	}
	return []Param{
		numParam("tls-port", "0", 0, 65535).outside("tls-port").effect("`redmoon serve`: the port of connections over TLS; 0: none").
			refusedBy(noTLS).allowedInFile(),
		yesNo("tls-cluster", "no").refusedBy(noTLS).allowedInFile().
			effect("`redmoon serve`: yes needs valid files of TLS at the start"),
		yesNo("tls-replication", "no").refusedBy(noTLS).allowedInFile().effect("the link to the master is encrypted"),
		oneOf("tls-auth-clients", "yes", "no", "yes", "optional").ofTLS(),
		yesNo("tls-prefer-server-ciphers", "no").noEffect(goCipher),
		yesNo("tls-session-caching", "yes").noEffect(goSessions),
		numParam("tls-session-cache-size", "20480", 0, maxInt).noEffect(goSessions),
		numParam("tls-session-cache-timeout", "300", 0, maxInt).noEffect(goSessions),
		text("tls-cert-file", "").ofTLS(),
		text("tls-key-file", "").ofTLS(),
		text("tls-key-file-pass", "").noEffect(noPasswords).refusedInFile(noPasswords),
		text("tls-client-cert-file", "").effect("the certificate for the master"),
		text("tls-client-key-file", "").effect("the key of that certificate"),
		text("tls-client-key-file-pass", "").noEffect(noPasswords),
		text("tls-dh-params-file", "").noEffect("Go has no cipher suites that use it"),
		text("tls-ca-cert-file", "").ofTLS(),
		text("tls-ca-cert-dir", "").noEffect("name a file with all authorities in tls-ca-cert-file"),
		text("tls-protocols", "").noEffect("TLS 1.2 and 1.3 are allowed"),
		text("tls-ciphers", "").noEffect(goCipher),
		text("tls-ciphersuites", "").noEffect(goCipher),
	}
}

// hiddenParams are the parameters that Redis keeps for its own tests: no pattern finds them.
func hiddenParams() []Param {
	return []Param{
		numParam("key-load-delay", "0", math.MinInt32, maxInt).hidden().noEffect(ownTests),
		numParam("loading-process-events-interval-bytes", "2097152", 1024, maxInt).hidden().noEffect(ownTests),
		yesNo("lua-enable-deprecated-api", "no").fixed().hidden().noEffect("scripts get no deprecated functions"),
		numParam("rdb-key-save-delay", "0", math.MinInt32, maxInt).hidden().
			ofFiles("microseconds for each key that a dump or base takes longer; for tests"),
		yesNo("use-exit-on-panic", "no").hidden().noEffect(ownTests),
		numParam("watchdog-period", "0", 0, maxInt).hidden().noEffect(ownTests),
	}
}

// processParams are about the process and its log.
func processParams() []Param {
	oomAdj := oneOf("oom-score-adj", "no", "no", "yes", "relative", "absolute")
	oomAdj.synonyms = map[string]string{"relative": "yes"}
	return []Param{
		yesNo("daemonize", "no").fixed().effect("`redmoon serve` leaves the terminal"),
		oneOf("supervised", "no", "upstart", "systemd", "auto", "no").fixed().
			effect("`redmoon serve`: what gets a message when it is ready"),
		text("pidfile", "").fixed().effect("`redmoon serve`: the file with the number of the process"),
		text("logfile", "").fixed().emptyStays().effect("`redmoon serve`: the file of the log"),
		oneOf("loglevel", "notice", "debug", "verbose", "notice", "warning").
			later("7.2.0", func(p *Param) { p.enum = append(p.enum, "nothing") }).outside("loglevel").effect("`redmoon serve`: what is logged"),
		yesNo("syslog-enabled", "no").fixed().effect("`redmoon serve`: the log goes to syslog too"),
		oneOf("syslog-facility", "local0", "user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7").fixed().
			effect("`redmoon serve`: the facility in syslog"),
		text("syslog-ident", "redis").defaultLater("-/8.0.0", "valkey").fixed().emptyStays().effect("`redmoon serve`: the name in syslog"),
		yesNo("always-show-logo", "no").fixed().effect("`redmoon serve`: the log begins with the logo, not only on a terminal"),
		yesNo("set-proc-title", "yes").fixed().effect("`redmoon serve`: ps shows the title; Linux only"),
		checked("proc-title-template", "{title} {listen-addr} {server-mode}", parseTitle).emptyStays().outside("proc-title").
			effect("`redmoon serve`: the title that ps shows"),
		yesNo("crash-log-enabled", "yes").outside("crash-log-enabled").effect("`redmoon serve`: the log has a report of a crash"),
		yesNo("crash-memcheck-enabled", "yes").noEffect("Go manages the memory; none is tested"),
		yesNo("disable-thp", "yes").fixed().effect("`redmoon serve`: the process uses no transparent huge pages"),
		oomAdj.outside("oom-score-adj").effect("`redmoon serve`: how soon the system ends it when memory runs out"),
		listOf("oom-score-adj-values", "0 200 800", parseOOMValues).outside("oom-score-adj").
			effect("`redmoon serve`: the numbers for oom-score-adj"),
		text("ignore-warnings", "").emptyStays().noEffect("the warning that it hides is about fork, which is not used"),
		text("server_cpulist", "").fixed().noEffect(goThreads).renamedLater("7.2.0", "server-cpulist"),
		text("bio_cpulist", "").fixed().noEffect(goThreads).renamedLater("7.2.0", "bio-cpulist"),
		text("aof_rewrite_cpulist", "").fixed().noEffect(goThreads).renamedLater("7.2.0", "aof-rewrite-cpulist"),
		text("bgsave_cpulist", "").fixed().noEffect(goThreads).renamedLater("7.2.0", "bgsave-cpulist"),
		listOf("shutdown-on-sigint", "default", parseShutdownOptions).outside("shutdown-on-sigint").
			effect("`redmoon serve`: the options of the shutdown"),
		listOf("shutdown-on-sigterm", "default", parseShutdownOptions).outside("shutdown-on-sigterm").
			effect("`redmoon serve`: the options of the shutdown"),
		numParam("shutdown-timeout", "10", 0, maxInt).effect("the seconds for which a shutdown waits for replicas"),
	}
}
