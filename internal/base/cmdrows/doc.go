// Package cmdrows has the rows of all commands: everything that is declared about them. It imports
// nothing of the server, so that tools which only read scripts link no server. Package commands has
// the handlers.
package cmdrows
