// Package serverlog writes the log of redis-server 7.0: its lines, its levels, its file, syslog.
//
// Messages come from a slog.Handler. The levels of slog stand for those of Redis: Debug for debug,
// [Verbose] for verbose, Info for notice, Warn and above for warning.
package serverlog
