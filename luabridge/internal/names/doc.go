// Package names lists the names of the globals of scripts and of the fields of their libraries.
//
// The lists are the only source of these names: package globals adds the globals and the libraries
// in their order, and tools that read scripts without running them take the names from here.
package names
