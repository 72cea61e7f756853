// Package snapshot keeps values that tests have recorded, as text, in a file for each test file:
// __snapshots__/NAME.snap beside it.
//
// Each snapshot has a name: that of the test and a number or a name of its own. A snapshot is
// written only when the user asks for it, so a test whose snapshot is missing fails.
package snapshot
