// Package terminal shows a run on a terminal: a progress bar for each stage, and a table at the
// end.
package terminal

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
)

// Bars draws a progress bar for each stage. Its methods are for one goroutine at a time.
type Bars struct {
	w     io.Writer
	stage string
	bar   *progressbar.ProgressBar
}

// NewBars draws on w, a terminal.
func NewBars(w io.Writer) *Bars { return &Bars{w: w} }

// Show brings the bar up to date; at a new stage it ends the one before and begins the next.
func (b *Bars) Show(s page.State) {
	if s.Stage != b.stage {
		b.end(s.Failure == "")
		b.stage = s.Stage
		if s.Stage != page.Done {
			b.bar = progressbar.NewOptions64(max(1, s.Steps), progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(padded(s.Stage)),
				progressbar.OptionSetWidth(30), progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionUseANSICodes(true),
				progressbar.OptionShowElapsedTimeOnFinish(), progressbar.OptionThrottle(50*time.Millisecond))
		}
	}
	if b.bar != nil && s.Step < b.bar.GetMax64() { // full is when the stage ends
		_ = b.bar.Set64(s.Step) // a terminal that is gone needs no bar
	}
}

// end ends the bar; well says that its stage came to its end.
func (b *Bars) end(well bool) {
	if b.bar == nil {
		return
	}
	if well {
		_ = b.bar.Finish()
	} else {
		_ = b.bar.Exit()
	}
	_, _ = io.WriteString(b.w, "\n")
	b.bar = nil
}

func padded(stage string) string { return (stage + "       ")[:8] }
