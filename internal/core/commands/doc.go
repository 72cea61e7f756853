// Package commands binds the handlers of its subpackages, one for each family, to the rows of
// package cmdrows. A subpackage has the name of its family in the singular and "cmds", so that it
// does not shadow a package such as strings: stringcmds, listcmds, setcmds. Packages sample and
// scan have no handlers. They help several families.
//
// A handler parses its arguments, calls the datastore and returns a reply.Value. It sees its
// server.Ctx and nothing else: no writer, no lock, no goroutine. Time stands still while it runs.
//
// To add a command, write its row, its handler, and a case file for the comparison with
// redis-server. CONTRIBUTING.md lists the steps.
package commands
