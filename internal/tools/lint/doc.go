// Package lint finds mistakes in Lua scripts for Redis without running them.
//
// A [Linter] reads scripts. It compiles each as Redis does, parses it into a tree (package
// luatree), resolves what each redis.call names by the command table, and lets the rules look.
// [Rules] lists the rules; docs/lint.md shows each with an example.
//
// # How the rules know
//
//   - A [call] is a redis.call or redis.pcall whose command is a constant, found through aliases
//     such as local call = redis.call.
//   - The [origins] of an expression are where its value may come from: KEYS, ARGV, a constant, a
//     reply. They follow locals, parameters of local functions, loops and tables. What they cannot
//     follow is unknown, and no rule speaks about what is unknown.
//   - The [kinds] of an expression are the types that it may have: text, number, false.
//
// Invariant: the time and memory of a run are bounded by the size of the text. Texts above
// [MaxText] are refused, a file has at most [MaxFindings] findings, and every recursion is as deep
// as the tree, which is bounded.
package lint
