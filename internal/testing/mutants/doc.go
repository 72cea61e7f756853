// Command mutants asks how many small mistakes the tests would find. It makes mutants of the code,
// each with one token changed, runs the tests that reach them, and prints those that survive.
//
//	go run ./internal/testing/mutants
//	go run ./internal/testing/mutants -count 24 -seed 2
//	go run ./internal/testing/mutants -dir ../older -only chosen.txt
//
// All mutants are compiled into one copy of the tree (mutant schemata), and a variable of the
// environment selects the one that is on. So each test binary is built once:
//
//  1. Find the places at which a token can change, with the types that the rewriting needs, and
//     choose as many in each folder.
//  2. Copy the tree and rewrite the places: a < b becomes (On(7) && (a <= b) || !On(7) && (a < b)).
//     A place that does not compile is replaced by another.
//  3. Build the test binaries of all packages that reach the folders.
//  4. Run each test by itself with no mutant on. That shows its duration and the mutants it
//     reaches. Tests that fail, last too long or start the go command are left out.
//  5. For each mutant, run the tests that reach it, those of its own package first and then the
//     cheapest. A test that fails or does not end kills the mutant, if that repeats and the test
//     still passes with no mutant on.
//
// A mutant is known by its identity: file, function, kind, the text of the line, and a number among
// the places for which these are equal. The choice orders the places by a hash of seed and
// identity, so the same commit and seed give the same mutants, and another commit gives mostly the
// same. -save writes the identities, and -only reads them.
//
// testdata/equivalent.txt lists mutants that behave as the original does, with the reason. They are
// counted apart. Arguments that only reserve memory (of Grow, and the last one of make) are not
// mutated for the same reason.
//
// The tests run as make test does, with REDMOON_ORACLE=off. The exit code is 1 if fewer than -least
// percent of the mutants are killed.
package main
