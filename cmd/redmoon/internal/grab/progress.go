package grab

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/money"
)

// barWidth is the length of the progress bar in characters.
const barWidth = 40

// ShowProgress draws a progress bar on w, which is a terminal, until stop is called. stop erases
// it.
func (r *Run) ShowProgress(w io.Writer) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		start := time.Now()
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				fmt.Fprint(w, "\r\x1b[K")
				return
			case <-tick.C:
				begun, all := r.Progress()
				fmt.Fprint(w, "\r\x1b[K"+bar(begun, all, time.Since(start)))
			}
		}
	}()
	return func() { close(quit); <-done }
}

func bar(begun, all int, d time.Duration) string {
	full := barWidth * begun / all
	return fmt.Sprintf("[%s%s] %3d%%  %s calls/s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full),
		100*begun/all, money.Count(perSecond(int64(begun), d)))
}
