// Package listen holds the listeners of a server: those of the parameters bind and port, of
// tls-port and of unixsocket, with the rules and the log lines of redis-server 7.0. They can be
// replaced while the server runs.
package listen
