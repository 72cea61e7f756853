// Package ldb speaks the protocol of Redis's Lua debugger, as redis-cli --ldb does.
//
// [Debug] is its server's side: given to resp.Options.Debug, it takes over a connection whose client has sent SCRIPT DEBUG YES or SYNC and then
// EVAL. [Client] is the other side: it debugs a script on any Redis.
//
// A stop is told as an array of status replies, the log: what has happened since the last stop, why the script has stopped, and the line. Each
// command of the debugger is answered by such an array. The end is the line <endsession>, behind which the reply to EVAL follows.
package ldb
