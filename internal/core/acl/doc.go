// Package acl is the access control list: users, their rules, and the log of denied commands.
//
// A [User] has one or more selectors. A command may run if one selector allows the command, all its
// keys and all its channels. The goroutine that owns the keyspace owns a [List].
package acl
