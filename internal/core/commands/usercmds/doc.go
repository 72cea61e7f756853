// Package usercmds implements ACL: users, what they may do, the ACL file and the log of denied
// commands.
package usercmds
