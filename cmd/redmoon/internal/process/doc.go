// Package process does to the process what redis.conf asks for: it leaves the terminal (daemonize),
// writes the file of its number, reports to the supervisor that started it, raises the limit of
// open files, and sets how soon the system may kill it when memory runs out.
//
// What a system cannot do is an error there, or does nothing where Redis does nothing either.
package process
