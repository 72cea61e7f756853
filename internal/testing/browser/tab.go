package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// Tab is a page in a headless Chromium that a test looks at and types into. Its methods fail the
// test if the browser does not do it. They are for one goroutine.
type Tab struct {
	t       testing.TB
	to      io.Writer     // commands of the DevTools protocol, each with a NUL at its end
	from    *bufio.Reader // answers and events, in the same form
	pipe    *os.File      // what from reads
	session string
	next    int
	errors  []string // of scripts of the page
}

// message is an answer or an event of the DevTools protocol.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Params json.RawMessage `json:"params"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Open starts a browser, which ends with the test, and opens an address. Without a browser it skips
// the test, or fails it with CI=true.
func Open(t *testing.T, url string) *Tab {
	t.Helper()
	program := find(t)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	browserReads, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, browserWrites, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "redmoon-browser")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--user-data-dir="+filepath.Join(dir, "user"), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{browserReads, browserWrites}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	browserReads.Close()
	browserWrites.Close()
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		to.Close()
		from.Close()
		_ = os.RemoveAll(dir) // a process of the browser may still write
	})
	tab := &Tab{t: t, to: to, from: bufio.NewReader(from), pipe: from}
	tab.attach()
	tab.Size(1200, 800)
	tab.Go(url)
	return tab
}

// attach opens a page and attaches to it.
func (tab *Tab) attach() {
	tab.t.Helper()
	var target struct {
		TargetID string `json:"targetId"`
	}
	tab.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	tab.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	tab.session = attached.SessionID
	tab.call("Page.enable", nil, nil)
	tab.call("Runtime.enable", nil, nil)
}

// call sends a command and waits for its result.
func (tab *Tab) call(method string, params, result any) {
	tab.t.Helper()
	tab.next++
	command := map[string]any{"id": tab.next, "method": method}
	if params != nil {
		command["params"] = params
	}
	if tab.session != "" {
		command["sessionId"] = tab.session
	}
	b, err := json.Marshal(command)
	if err == nil {
		_, err = tab.to.Write(append(b, 0))
	}
	if err == nil {
		err = tab.pipe.SetReadDeadline(patience.Deadline()) // ends a browser that hangs
	}
	if err != nil {
		tab.t.Fatalf("%s: %v", method, err)
	}
	for {
		b, err := tab.from.ReadBytes(0)
		if err != nil {
			tab.t.Fatalf("%s: the browser has ended, or hangs: %v", method, err)
		}
		var m message
		if err := json.Unmarshal(b[:len(b)-1], &m); err != nil {
			tab.t.Fatal(err)
		}
		if m.Method == "Runtime.exceptionThrown" {
			tab.errors = append(tab.errors, string(m.Params))
		}
		if m.ID != tab.next {
			continue
		}
		if m.Error != nil {
			tab.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				tab.t.Fatal(err)
			}
		}
		return
	}
}

// Use makes the methods fail a subtest, until it ends, instead of the test that has opened the tab.
func (tab *Tab) Use(t testing.TB) {
	before := tab.t
	tab.t = t
	t.Cleanup(func() { tab.t = before })
}

// Size sets the size of the window in CSS pixels. Below 600 it is that of a phone.
func (tab *Tab) Size(width, height int) {
	tab.t.Helper()
	tab.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// Dark makes the system prefer dark colours, or light ones.
func (tab *Tab) Dark(dark bool) {
	tab.t.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	tab.call("Emulation.setEmulatedMedia", map[string]any{
		"features": []any{map[string]any{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// Go opens an address.
func (tab *Tab) Go(url string) {
	tab.t.Helper()
	tab.call("Page.navigate", map[string]any{"url": url}, nil)
}

// Eval evaluates JavaScript in the page, waits for the promise that it may return, and stores its
// value in result, which may be nil.
func (tab *Tab) Eval(expression string, result any) {
	tab.t.Helper()
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		ExceptionDetails *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	tab.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if e := answer.ExceptionDetails; e != nil {
		tab.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if result != nil && len(answer.Result.Value) > 0 {
		if err := json.Unmarshal(answer.Result.Value, result); err != nil {
			tab.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// Await waits until an expression of JavaScript is true. An expression that throws is not.
func (tab *Tab) Await(expression string) {
	tab.t.Helper()
	err := patience.Try(func() error {
		var done bool
		tab.Eval("(() => { try { return Boolean("+expression+"); } catch { return false; } })()", &done)
		if done {
			return nil
		}
		return errors.New("this does not become true: " + expression)
	})
	if err != nil {
		var text string
		tab.Eval("document.body.innerText", &text)
		tab.t.Fatalf("%v\n%s\n%s", err, strings.Join(tab.errors, "\n"), text)
	}
}

// Text returns the text of the first element of a selector.
func (tab *Tab) Text(selector string) (text string) {
	tab.t.Helper()
	tab.Eval(fmt.Sprintf("document.querySelector(%q).innerText", selector), &text)
	return text
}

// Click clicks the first element of a selector.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	tab.Eval(fmt.Sprintf("document.querySelector(%q).click()", selector), nil)
}

// keyCodes are the codes of the keys that tests press.
var keyCodes = map[string]int{"a": 65, "Enter": 13, "Escape": 27, "Tab": 9, "F5": 116, "F8": 119, "F9": 120, "F10": 121, "F11": 122}

// Press presses a key, such as "F10", "Shift+F11" or "Ctrl+Enter".
func (tab *Tab) Press(key string) {
	tab.t.Helper()
	modifiers := 0
	for name, bit := range map[string]int{"Ctrl+": 2, "Shift+": 8} {
		if strings.Contains(key, name) {
			modifiers |= bit
			key = strings.Replace(key, name, "", 1)
		}
	}
	down, text := "rawKeyDown", ""
	if key == "Enter" && modifiers == 0 { // without its text it presses no button
		down, text = "keyDown", "\r"
	}
	for _, kind := range []string{down, "keyUp"} {
		tab.call("Input.dispatchKeyEvent", map[string]any{
			"type": kind, "text": text, "key": key, "code": key, "windowsVirtualKeyCode": keyCodes[key], "modifiers": modifiers}, nil)
	}
}

// Type types text into the element that has the focus.
func (tab *Tab) Type(text string) {
	tab.t.Helper()
	tab.call("Input.insertText", map[string]any{"text": text}, nil)
}

// Errors returns the errors of scripts of the page so far.
func (tab *Tab) Errors() []string { return tab.errors }

// Screenshot writes what the window shows to a PNG file of at most 256 colours.
func (tab *Tab) Screenshot(path string) {
	tab.t.Helper()
	var shot struct {
		Data string `json:"data"`
	}
	tab.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	b, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		b, err = shrink(b)
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o644)
	}
	if err != nil {
		tab.t.Fatal(err)
	}
}
