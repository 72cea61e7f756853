// Package miniredis compares package redmoontest/minicompat with miniredis: their exported names,
// what their methods return, and how the test suites of published modules fare on both. It is a
// module of its own, so that miniredis stays out of the core's dependencies; only its tests use it.
package miniredis
