// Package disk is the small part of a file system that persistence uses, as an interface, and the
// operating system's implementation of it. Tests put package faultdisk in its place.
//
// What is written to a [File] survives a crash of the machine only after [File.Sync]. A name that
// was created, renamed or removed survives it only after [FS.SyncDir] of its directory. Paths are
// those of package filepath.
package disk
