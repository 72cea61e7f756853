// Package debugger steps through Lua scripts on an engine. A [Session] is one script that is debugged: it stops at lines, calls and errors, shows what the script
// sees, and goes on, or back. Package ldb speaks the protocol of redis-cli's debugger on top of it, package dap that of editors.
package debugger
