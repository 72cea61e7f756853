// Package admincmds implements the commands about the server as a whole: COMMAND, INFO, TIME,
// LOLWUT, SLOWLOG, LATENCY, MEMORY, MODULE and SHUTDOWN.
package admincmds
