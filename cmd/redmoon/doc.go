// Redmoon runs Redis Lua scripts without a Redis server: a single script (run), commands and
// scripts at a prompt (repl, debug), scripts of other clients over RESP (serve), scripts in an
// editor (dap), and a demonstration that grabs a hundred thousand red packets (grab). It also finds
// mistakes in scripts (lint), and shows what is in the files of a Redis (inspect).
package main
