// Package connectioncmds implements the commands about the client's own connection, and CLIENT.
package connectioncmds
