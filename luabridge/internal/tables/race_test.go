//go:build race

package tables

// raceDetector drops what a sync.Pool holds, at random.
const raceDetector = true
