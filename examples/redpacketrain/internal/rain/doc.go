// Package rain is one red packet rain from its packets to its audit: prepare activities, let
// workers grab while consumers settle, give back what is left, and compare what is in Redis with
// what is in the ledger.
//
// Goroutines of a run: the workers, a sampler that reports how it stands, and the consumers of
// [Options.Consume], which may be other processes.
package rain
