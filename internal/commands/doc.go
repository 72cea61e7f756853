// Package commands puts the command tables together from the rows of all families. Its
// subpackages, one for each family, declare the rows and implement the handlers.
//
// A handler parses its arguments, calls the datastore and returns a reply.Value. It sees its
// server.Ctx and nothing else: no writer, no lock, no goroutine. Time stands still while it runs.
//
// To add a command, write its row and its handler in the package of its family, and a case file for
// the comparison with redis-server. CONTRIBUTING.md lists the steps.
package commands
