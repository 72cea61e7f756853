// Package luafmt formats Lua scripts.
//
// [Format] parses a script into a tree (package luatree) and prints its tokens again with other
// spaces and line breaks. It adds or removes only semicolons and the commas at the ends of
// constructors. A result is returned only if it compiles to the same instructions and has the same
// comments.
//
// # How it prints
//
// A [builder] walks over the tree and takes the tokens of the source one after the other, so that
// nothing can get lost. It writes a list of operations: texts, places where a line may break, and
// groups of such places. The layout then decides for each group, from the outside to the inside,
// whether it fits on the line; if not, all its places break.
//
// Line breaks of the author between the elements of a list, around an operator and before a method
// stay. A list that the author did not break, and that is too long, gets one element on each line.
package luafmt
