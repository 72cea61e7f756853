// Attacks is a program that attacks redmoon serve and redis-server in the same way, and prints what
// each of them does, side by side:
//
//	go run ./internal/testing/attacks [-n TIMES] [-quick] [-redmoon FILE] [-redis FILE] [NAME...]
//
// Without names it makes every attack. It ends with 1 if Redmoon does worse than it may. It runs on
// Linux: it reads the memory of the processes from /proc.
package main
