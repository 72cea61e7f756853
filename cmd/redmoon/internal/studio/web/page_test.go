package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio/site"
	"github.com/redmoon-lua/redmoon/internal/testing/browser"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

const (
	idle    = "document.documentElement.dataset.state === 'idle'"
	stopped = "document.documentElement.dataset.state === 'stopped'"
)

// shoot writes a screenshot if REDMOON_SCREENSHOTS names a folder.
func shoot(tab *browser.Tab, name string) {
	if dir := os.Getenv("REDMOON_SCREENSHOTS"); dir != "" {
		tab.Screenshot(filepath.Join(dir, "studio-"+name+".png"))
	}
}

func openPage(t *testing.T) (tab *browser.Tab, base string) {
	base, token := serve(t, studio.Options{})
	tab = browser.Open(t, base+"/?token="+token)
	tab.Await(idle)
	return tab, base
}

// choose opens an example.
func choose(tab *browser.Tab, name string) {
	quoted := strconv.Quote(name)
	tab.Eval("document.title = ''; document.getElementById('examples').value = "+
		"[...document.getElementById('examples').options].find((o) => o.text === "+quoted+").value; "+
		"document.getElementById('examples').dispatchEvent(new Event('change'))", nil)
	tab.Await("document.title.startsWith(" + quoted + ") && " + idle)
}

// openCase opens a link.
func openCase(t *testing.T, tab *browser.Tab, base string, d studio.Document) {
	packed, err := studio.Pack(d)
	require.NoError(t, err)
	tab.Go("about:blank")
	tab.Go(base + "/#" + packed)
	tab.Await(idle + " && document.querySelector('.cm-content').innerText.includes(" + strconv.Quote(d.Source[:9]) + ")")
}

// at waits until the script has stopped before a line.
func at(tab *browser.Tab, line int) {
	tab.Await(stopped + " && document.getElementById('status').textContent.startsWith('Line " + strconv.Itoa(line) + ":')")
}

// A link to a library opens with the function that it names; another one can be chosen.
func TestTheFunctionsOfALibraryCanBeChosen(t *testing.T) {
	tab, base := openPage(t)
	tab.Await("document.getElementById('call-choice').offsetParent === null") // an example is a script
	openCase(t, tab, base, studio.Document{Call: "look", Keys: "k", Fixture: "SET k 5", Source: `#!lua name=shop
redis.register_function('claim', function(keys)
  return redis.call('DECR', keys[1])
end)
redis.register_function{function_name = 'look', flags = {'no-writes'}, callback = function(keys)
  return redis.call('GET', keys[1])
end}
`})
	tab.Await("!document.getElementById('call-choice').hidden && document.getElementById('call').value === 'look'")
	require.Contains(t, tab.Text("#call"), "look (no-writes)")
	tab.Click("#run")
	tab.Await("document.getElementById('answer').innerText.includes('5')")
	tab.Eval("document.getElementById('call').value = 'claim'", nil)
	tab.Click("#debug")
	at(tab, 3)
	tab.Click("#debug")
	tab.Await("document.getElementById('answer').innerText.includes('(integer) 4')")
}

func TestPage(t *testing.T) {
	tab, base := openPage(t)

	t.Run("the token is not in the address", func(t *testing.T) {
		tab.Use(t)
		var address string
		tab.Eval("location.href", &address)
		require.Equal(t, base+"/", address)
	})
	t.Run("runs", func(t *testing.T) {
		tab.Use(t)
		tab.Press("Ctrl+Enter")
		tab.Await("document.getElementById('answer').innerText.includes('grabbed')")
		require.Contains(t, tab.Text("#calls"), "HGET grabbed ann")
		require.Contains(t, tab.Text("#changes"), `+ "ann" = "120"`)
		require.Contains(t, tab.Text("#output"), "ann got 120 cents")
		require.Contains(t, tab.Text("#keys-count"), "2 keys")
		shoot(tab, "run")
	})
	t.Run("steps forwards and back", func(t *testing.T) {
		tab.Use(t)
		tab.Press("F5")
		at(tab, 4)
		for _, line := range []int{5, 8, 9, 12} {
			tab.Press("F10")
			at(tab, line)
		}
		require.Contains(t, tab.Text("#frames"), `"120"`)
		require.Contains(t, tab.Text("#calls"), "LPOP packets")
		require.Contains(t, tab.Text("#changes"), "packets")
		require.Contains(t, tab.Text(".line-current"), "redis.call('HSET'")
		tab.Click("[data-step=back]")
		at(tab, 9)
		tab.Press("F8")
		at(tab, 8)
		shoot(tab, "back")
		require.NotContains(t, tab.Text("#calls"), "LPOP packets")
		require.NotContains(t, tab.Text("#changes"), "packets")
		tab.Press("Shift+F5")
		tab.Await(idle)
	})
	t.Run("stops at breakpoints", func(t *testing.T) {
		tab.Use(t)
		choose(tab, "Functions to step through")
		// The gutter finds the line by the height of the click.
		tab.Eval("document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')[9]"+
			".dispatchEvent(new MouseEvent('mousedown', {bubbles: true, clientY: document.querySelectorAll('.cm-line')[8]"+
			".getBoundingClientRect().top + 4}))", nil)
		tab.Await("document.querySelectorAll('.breakpoint-gutter .breakpoint-dot').length > 1")
		tab.Click("#debug")
		at(tab, 4) // where Lua makes the first function
		tab.Click("#debug")
		at(tab, 9)
		tab.Press("F11")
		at(tab, 3)
		require.Contains(t, tab.Text("#frames"), "square")
		shoot(tab, "debug")
		tab.Press("Shift+F11")
		at(tab, 8)
		tab.Eval("document.getElementById('eval').value = 'total + 1'; document.getElementById('eval-form').requestSubmit()", nil)
		tab.Await("document.getElementById('eval-value').textContent === '122'")
		tab.Click("#stop")
		tab.Await(idle)
	})
	t.Run("shows errors at their line", func(t *testing.T) {
		tab.Use(t)
		choose(tab, "An error in a loop")
		tab.Click("#run")
		tab.Await("document.getElementById('answer').className.includes('error')")
		require.Contains(t, tab.Text("#answer"), "RPUSH orders begun")
		require.Contains(t, tab.Text(".line-error"), "price(article)")
		shoot(tab, "error")
	})
	t.Run("loads fixtures", func(t *testing.T) {
		tab.Use(t)
		tab.Eval("document.getElementById('fixture').value = 'SET a'", nil)
		tab.Click("#run")
		tab.Await("document.getElementById('answer').innerText.includes('wrong number of arguments')")
		shoot(tab, "fixture")
		tab.Eval("document.getElementById('fixture').value = 'HSET cart apple 2\\nHSET prices apple 40'", nil)
		tab.Click("#run")
		tab.Await("document.getElementById('answer').innerText.includes('(integer) 80')")
	})
	t.Run("shares", func(t *testing.T) {
		tab.Use(t)
		tab.Click("#share")
		tab.Await("document.getElementById('share-dialog').open")
		shoot(tab, "share")
		var link string
		tab.Eval("document.getElementById('share-link').value", &link)
		require.NotContains(t, link, "token")
		d, err := studio.Unpack(link)
		require.NoError(t, err)
		require.Equal(t, "HSET cart apple 2\nHSET prices apple 40", d.Fixture)
		tab.Go("about:blank")
		tab.Go(link)
		tab.Await(idle + " && document.getElementById('fixture').value === " + strconv.Quote(d.Fixture))
	})
	t.Run("completes", func(t *testing.T) {
		tab.Use(t)
		tab.Eval("document.querySelector('.cm-content').focus()", nil)
		tab.Press("Ctrl+a")
		tab.Type("local cart = redis.call('HGETA")
		tab.Await("document.querySelector('.cm-tooltip-autocomplete')?.innerText.includes('HGETALL')")
		shoot(tab, "complete")
		tab.Press("Escape")
	})
	t.Run("an endless script is stopped", func(t *testing.T) {
		tab.Use(t)
		openCase(t, tab, base, studio.Document{Source: "while true do redis.call('PING') end"})
		tab.Click("#run")
		tab.Press("Shift+F5")
		tab.Await(idle)
	})
	t.Run("the keyboard keeps its place", func(t *testing.T) {
		tab.Use(t)
		choose(tab, "Red packet")
		tab.Eval("document.getElementById('debug').focus()", nil)
		tab.Press("Enter")
		at(tab, 4)
		tab.Eval("document.querySelector('[data-step=over]').focus()", nil)
		for _, line := range []int{5, 8} {
			tab.Press("Enter")
			at(tab, line)
		}
		tab.Eval("document.getElementById('stop').focus()", nil)
		tab.Press("Enter")
		tab.Await(idle + " && document.activeElement.id === 'result'")
	})
	t.Run("changes while a script runs", func(t *testing.T) {
		tab.Use(t)
		openCase(t, tab, base, studio.Document{
			Source: "local i = 0\nfor n = 1, 1000000 do\n  i = i + 1\nend\nlocal b = 1\nlocal c = 2\nreturn c", Breakpoints: []int{5},
		})
		tab.Click("#debug")
		at(tab, 1)
		const changeWhileBusy = "document.getElementById('debug').click(); if (document.documentElement.dataset.state !== 'busy') throw 1; "
		tab.Eval(changeWhileBusy+"document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')[7]"+
			".dispatchEvent(new MouseEvent('mousedown', {bubbles: true, clientY: document.querySelectorAll('.cm-line')[6]"+
			".getBoundingClientRect().top + 4}))", nil)
		at(tab, 5)
		tab.Click("#debug")
		at(tab, 7)
		tab.Click("#stop")
		tab.Await(idle)
		tab.Click("#debug")
		at(tab, 1)
		tab.Eval("document.querySelector('.cm-content').focus(); "+changeWhileBusy+"document.execCommand('insertText', false, 'x')", nil)
		tab.Await(idle)
		var marked bool
		tab.Eval("document.querySelector('.line-current') !== null", &marked)
		require.False(t, marked, "a line of the text before is marked in the new one")
	})
	t.Run("fits a phone, light and dark", func(t *testing.T) {
		tab.Use(t)
		choose(tab, "Red packet")
		tab.Size(375, 760)
		tab.Press("F5")
		at(tab, 4)
		for range 3 {
			tab.Press("F10")
			tab.Await(stopped)
		}
		var wide bool
		tab.Eval("document.documentElement.scrollWidth > innerWidth", &wide)
		require.False(t, wide, "the page is wider than the window")
		shoot(tab, "phone")
		// A phone has no such keys, and shows no title of a button.
		require.NotRegexp(t, "F9|Escape|click", tab.Text("#left"))
		require.Contains(t, tab.Text("#editor-help"), "A tap on a line number sets a breakpoint")
		for _, b := range []string{"reverse", "back", "over", "in", "out"} {
			sign := []rune(tab.Text("[data-step=" + b + "]"))[0]
			require.Contains(t, tab.Text("#editor-help"), string(sign), "what the button %s does", b)
		}
		tab.Size(1200, 800)
		require.Contains(t, tab.Text("#editor-help"), "F9 or a click on a line number sets a breakpoint")
		require.NotContains(t, tab.Text("#editor-help"), "tap")
		for _, dark := range []bool{true, false} {
			tab.Eval("localStorage.clear()", nil)
			tab.Dark(dark)
			tab.Await("document.documentElement.dataset.theme === '" + map[bool]string{true: "dark", false: "light"}[dark] + "'")
			var bad []string
			tab.Eval(contrast, &bad)
			require.Empty(t, bad)
			if dark {
				shoot(tab, "dark")
			}
		}
	})
	require.Empty(t, tab.Errors())
}

// contrast returns the texts of the page whose contrast is below 4.5, the limit of WCAG AA.
const contrast = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const colour = (c) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (a, b) => [0, 1, 2].map((i) => (a[i] * a[3] + b[i] * (255 - a[3])) / 255).concat(255);
  const back = (e) => {
    if (!e) return [255, 255, 255, 255];
    const c = colour(getComputedStyle(e).backgroundColor);
    return c[3] === 255 ? c : over(c, back(e.parentElement));
  };
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => {
    const v = c[i] / 255;
    return sum + part * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  }, 0);
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility() || e.closest('button:disabled, noscript, script, .skip')) continue;
    const b = back(e), f = over(colour(getComputedStyle(e).color), b);
    const [x, y] = [light(f), light(b)].sort((p, q) => q - p);
    const ratio = (x + 0.05) / (y + 0.05);
    if (ratio < 4.5) bad.push(ratio.toFixed(2) + ' ' + e.className + ': ' + walker.currentNode.data.slice(0, 40));
  }
  return bad;
})()`

// The static files run scripts without any server but the one that sends the files.
func TestStaticPage(t *testing.T) {
	tier.Nightly(t) // it compiles the engine to WebAssembly
	browser.Need(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, site.Files()))
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "redmoon.wasm"), "../wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	runtime, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wasm_exec.js"), runtime, 0o644))
	// A host that serves the folder under a path, and knows no type of .wasm.
	files := http.StripPrefix("/tools/studio", http.FileServer(http.Dir(dir)))
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".wasm") {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(ts.Close)

	tab := browser.Open(t, ts.URL+"/tools/studio/")
	tab.Await(idle)
	ts.Config.Handler = http.NotFoundHandler() // everything is loaded: the page needs nobody any more
	tab.Click("#run")
	tab.Await("document.getElementById('answer').innerText.includes('grabbed')")
	require.Contains(t, tab.Text("#changes"), `+ "ann" = "120"`)
	tab.Press("F5")
	at(tab, 4)
	tab.Press("F10")
	at(tab, 5)
	tab.Press("F8")
	at(tab, 4)
	shoot(tab, "static")
	require.Empty(t, tab.Errors())
}
