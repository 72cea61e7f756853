// Package bundle makes one script of many files, and says for each place of the text from which
// place of which file it comes.
//
// A line such as
//
//	--- @include "includes/batches"
//
// is replaced by the text of that file, as the builds of Bull and BullMQ do: see [Build] for the
// rules. The text is, byte for byte, the one that BullMQ's own build makes.
package bundle
