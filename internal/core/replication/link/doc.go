// Package link keeps the connection of a replica to its master: it connects, introduces the
// replica, asks for what is missing, receives the copy of the data set and then the commands of the
// master, and begins again when the connection is lost. It knows nothing of keys: what it receives
// goes to a [Host].
//
// A [Link] has one goroutine, which makes all reads and calls the host. Its clock calls a second
// function each second: it sends the acknowledgements and closes a connection that was silent for
// too long. A lock guards what both use.
//
// The master is not trusted. A length that it announces reserves no memory, lines and commands have
// limits, and each wait ends.
package link
