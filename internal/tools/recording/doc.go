// Package recording reads and writes recordings: files with the commands that clients have sent to
// a server, and its replies. docs/record.md describes the format for people.
//
// A recording consists of lines, each a JSON object; the file may be compressed with gzip. It is
// only appended to, so a recorder that is killed leaves a file that can be read up to its last
// complete line. The first line is the [Header]. The others are events of connections, in the order
// in which the recorder has seen them.
//
// # Order
//
// A line of a request is written before the last byte of the request goes to the server. A line of
// a reply is written when its first byte has come from the server. So the server has run a command
// after the line of its request and before the line of its reply; and if the line of a reply stands
// before the line of a request, the command of the reply has run first. [Event].Seq is the number
// of the line.
//
// # Invariants of what a Reader returns
//
// Events name connections that are open. The requests of a connection are numbered 1, 2, 3 and so
// on. A [Reply], [Silent] or [ReplyBegins] belongs to the oldest request of its connection that has
// none.
package recording
