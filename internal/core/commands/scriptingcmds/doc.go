// Package scriptingcmds implements EVAL, SCRIPT, FCALL and FUNCTION. The engine runs the scripts.
package scriptingcmds
