// Package ldb implements the protocol of Redis's Lua debugger, which redis-cli --ldb speaks.
//
// [Debug] is the server side. It is meant for resp.Options.Debug, and takes over a connection whose
// client has sent SCRIPT DEBUG YES or SYNC and then EVAL. [Client] is the client side: it debugs a
// script on any Redis server.
//
// When the script stops, the server sends its log as an array of status replies: what has happened
// since the last stop, why the script has stopped, and the line. The reply to each command of the
// debugger is such an array too. When the script has ended, the log ends with the line
// <endsession>, and the reply to EVAL follows.
package ldb
