// Package browsertest looks at pages in a headless Chromium.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

// names are what Chromium may be called.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// Tab is a tab of a browser. Its methods fail the test when the browser does not do it.
type Tab struct {
	t       testing.TB
	ctx     context.Context
	console chan string // what is written to it, in order
}

// Open opens a tab for a test. The test is skipped where there is no Chromium; in continuous
// integration (CI is "true") it fails.
func Open(t testing.TB) *Tab {
	t.Helper()
	var path string
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Chromium on the PATH")
		}
		t.Skip("no Chromium on the PATH")
	}
	allocator, stop := chromedp.NewExecAllocator(patience.Context(t), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox)...)
	t.Cleanup(stop)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	tab := &Tab{t: t, ctx: ctx, console: make(chan string, 1000)}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the test has ended
			}
			tab.console <- fmt.Sprintf("%s: %s %s", m.Type, m.Text, m.URL)
		}
	}()
	return tab
}

// Go goes to an address and returns when its page is loaded.
func (tab *Tab) Go(url string) {
	tab.t.Helper()
	require.NoError(tab.t, chromedp.Do(tab.ctx, chromedp.Navigate(url)))
}

// Eval evaluates a JavaScript expression.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	v, err := chromedp.Run(tab.ctx, chromedp.Evaluate[T](expression))
	require.NoError(tab.t, err, expression)
	return v
}

// Await returns when an expression is true.
func (tab *Tab) Await(expression string) {
	tab.t.Helper()
	require.NoError(tab.t, patience.Try(func() error {
		if Eval[bool](tab, expression) {
			return nil
		}
		return errors.New("still not true: " + expression)
	}))
}

// Complaints are what has been written to the console since it was last asked: exceptions, loads
// that failed or were blocked, and calls of console.
func (tab *Tab) Complaints() (messages []string) {
	tab.t.Helper()
	Eval[chromedp.Void](tab, "console.log('until here')")
	for m := range tab.console {
		if m == "log: until here " {
			break
		}
		messages = append(messages, m)
	}
	return messages
}

// Look is a size of the window and a colour scheme.
type Look struct {
	Width, Height int64
	Dark          bool
}

// Put gives the page a look.
func (tab *Tab) Put(l Look) {
	tab.t.Helper()
	scheme := "light"
	if l.Dark {
		scheme = "dark"
	}
	require.NoError(tab.t, chromedp.Do(tab.ctx, chromedp.EmulateViewport(l.Width, l.Height),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			})
			return err
		})))
}

// Shoot takes a picture of the whole page. It is kept as name.png where REDMOON_SCREENSHOTS names a
// folder.
func (tab *Tab) Shoot(name string) []byte {
	tab.t.Helper()
	beyond := true
	size := Eval[struct{ Width, Height float64 }](tab,
		"({Width: document.documentElement.clientWidth, Height: document.documentElement.scrollHeight})")
	shot, err := chromedp.Call(tab.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: &beyond, Clip: &page.Viewport{Width: size.Width, Height: size.Height, Scale: 1},
	})
	require.NoError(tab.t, err)
	if folder := os.Getenv("REDMOON_SCREENSHOTS"); folder != "" {
		require.NoError(tab.t, os.WriteFile(filepath.Join(folder, name+".png"), shot.Data, 0o644))
	}
	return shot.Data
}
