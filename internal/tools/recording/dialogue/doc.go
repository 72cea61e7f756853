// Package dialogue cuts the bytes of a connection between a client and a server into requests,
// replies and pushes, and finds the request of each reply. It sees the bytes as they pass, in
// pieces of any size, and keeps little of them: long requests and replies are passed on in pieces.
//
// # Vocabulary
//
// A push is what the server sends without a request: a published message, an invalidated key, a
// line of MONITOR, an error before the connection is closed. A confirmation is what answers
// SUBSCRIBE and related commands, one for each channel; all confirmations of a request are its
// reply.
//
// # Passwords
//
// Arguments that are passwords are marked, and neither they nor replies with passwords are passed
// on; see secrets.go. Bytes that are not RESP are never passed on, nor are incomplete requests.
//
// # When the bytes cannot be followed
//
// After a protocol error, and after commands that take the connection over (PSYNC, a debugged
// EVAL), the rest of the connection is not cut: [Sink].Unparsed is called once.
package dialogue
