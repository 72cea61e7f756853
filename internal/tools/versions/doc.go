// Package versions says what the author of a script meets when he moves from one server to another:
// it compares the tables by which engines follow them.
package versions
