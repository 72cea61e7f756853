// Package coverage keeps what scripts have covered in files, adds it up by the files that the
// scripts come from, and writes reports.
//
// A coverage file has a JSON object on each line: what has run of one script since the process that
// wrote it began, or since it last wrote. Objects of the same script are added up when the file is
// read. So any number of processes may append to one file, and files may be concatenated.
//
// A [Report] is about files: a script that consists of several files is divided among them, and
// what several scripts have run of the same file is added up. Package
// internal/core/coverage/formats prints reports.
//
// The package has no state; its functions may be called from any goroutine.
package coverage
