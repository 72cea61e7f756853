// Package assist answers what an editor asks about a script: what stands under the cursor, what may
// be typed there, where a name is declared, and so on. It knows nothing of the protocol between
// editors and servers; cmd/redmoon/internal/lsp translates.
//
// A [Document] is a file at one moment, with the script that has it. All its answers are about that
// script, and say in which of its files something is. It never changes, and its methods may be
// called from any goroutine.
//
// # Texts that are being typed
//
// Most of the time the text of an editor does not compile. What concerns the statement under the
// cursor is found from tokens ([callSite]); the rest comes from a tree of the text without what
// does not fit (luatree.ParseBroken). Changes, such as a rename, need a text without errors.
package assist
