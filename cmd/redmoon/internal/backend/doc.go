// Package backend is where the commands of the prompt run: a [Local] engine of this process, whose
// [Clock] can be moved, or a [Remote] Redis server. A [Target] is a script that is debugged there,
// by package debugger or by the debugger of the server.
package backend
