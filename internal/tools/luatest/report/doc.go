// Package report shows the results of Lua tests: as text for people, and for programs as TAP 14, as
// the XML of JUnit, and as JSON.
package report
