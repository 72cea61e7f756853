// Package servers is the table of servers: the versions of Redis and Valkey that Redmoon follows,
// and how they differ.
//
// What a version has is said by a [Since], in rows of commands and in the table of features.
// Handlers ask for a [Feature] and name no version. A new version is a line in the table of
// versions, and a [Since] at everything that is new in it.
package servers
