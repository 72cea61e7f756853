package replay

// What a replay reports.

import (
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// Report says what a replay has found.
type Report struct {
	Header      recording.Header
	Connections int
	Commands    int // commands that have run
	Scripts     int // of these, calls of scripts and functions
	Same        int // replies that are the same
	// Allowed counts replies that are not the same, and why that is not a difference.
	Allowed map[Reason]int
	// NotRun counts commands that have not run, and why.
	NotRun map[Reason]int
	Pushes int // messages and invalidations that are the same
	// Overtaken counts commands that have run before one whose reply came earlier: only that order
	// gives the recorded replies.
	Overtaken   int
	Missing     []string // SHA1s of scripts whose texts are not in the recording
	Differences []Difference
	More        int           // differences that are not in the list
	Duration    time.Duration // of the recording, as far as it was replayed
	Uncompared  int           // connections with too many pushes to compare them
	Unparsed    int           // connections that were not recorded to their end
	// Damage is why the recording was not read to its end, or "".
	Damage string
	// Unfinished is set if the recorder was killed.
	Unfinished bool
}

// missing notes a script whose text is not known.
func (r *Report) missing(sha string) {
	if !slices.Contains(r.Missing, sha) && len(r.Missing) < 1000 {
		r.Missing = append(r.Missing, sha)
	}
}

// Count returns the number of differences.
func (r *Report) Count() int { return len(r.Differences) + r.More }

// Difference is a reply or push that differs from the recorded one.
type Difference struct {
	Conn    int64
	Client  string // its address
	N       int64  // number of the request on its connection; 0: a push
	Line    int64  // of the recording
	At      time.Duration
	Command []string // as it was recorded
	// Recorded and Got are the replies in RESP. A push that is missing on one side is "".
	Recorded, Got string
	RecordedSize  int64 // if it is more than Recorded has
	Script        *Script
	// Overlaps lists commands that ran at about the same time on the same keys: perhaps the server
	// has run them in another order.
	Overlaps []string
}

// Script is the script or function of a command that differs.
type Script struct {
	Name   string // SHA1, or the name of a function
	Source string // "" if it is not known
	Line   int    // that the error names, from 1; 0: none
}

// maxOverlaps is the number of commands in Difference.Overlaps.
const maxOverlaps = 5
