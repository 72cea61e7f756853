// Package admin implements the commands about the server itself: ACL, CONFIG, COMMAND, INFO, DEBUG,
// MEMORY, LATENCY, SLOWLOG, persistence and replication.
package admin
