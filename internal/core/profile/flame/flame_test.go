package flame_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/profile/flame"
	"github.com/redmoon-lua/redmoon/internal/testing/browser"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// page returns the page of a profile: a script with functions that call each other, and one whose
// name is not known.
func page(t *testing.T) string {
	p := luabridge.NewProfile()
	const source = `local function inner(n)
  return string.rep('x', n)
end
local function outer(n)
  for i = 1, n do inner(i) end
end
outer(30)
outer(10)
return '</script><b>'`
	p.Name(source, `a "file" & <more>.lua`)
	vm := luabridge.New(luabridge.Options{})
	defer vm.Close()
	for _, text := range []string{source, "return 1"} {
		s, err := luabridge.CompileScript(text, luabridge.CompileLimits{Profile: p})
		require.NoError(t, err)
		require.False(t, vm.Run(nil, s, nil, nil).IsError())
	}
	var b bytes.Buffer
	require.NoError(t, flame.Write(&b, p, time.Unix(1_700_000_000, 0)))
	return b.String()
}

// TestPage zooms by clicks and keys. It shows hits, which are the same each time.
func TestPage(t *testing.T) {
	html := page(t)
	require.Equal(t, 1, strings.Count(html, "</script>"), "names cannot end the script of the page")
	reports := browser.Run(t, html, `
function boxes() { return Array.from(document.querySelectorAll("#flame button")); }
function labels() { return boxes().map(function (b) { return b.textContent.replace(/a "file" & <more>/, "f").replace(/script:\w+/, "s"); }); }
function key(name) { document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true})); }
function here() { return document.activeElement.textContent.replace(/a "file" & <more>/, "f"); }
var kind = document.getElementById("kind");
report(kind.options.length + " " + kind.selectedOptions[0].textContent);
kind.value = "0";
kind.dispatchEvent(new Event("change"));
report(labels().slice(0, 5).join(", "));
boxes()[1].click();
report(labels().slice(0, 3).join(", ") + " " + boxes()[1].style.width);
report(here());
key("ArrowDown"); report(here());
key("ArrowDown"); report(here());
key("ArrowUp"); report(here());
key("ArrowUp"); key("ArrowUp"); report(here());
key("ArrowDown"); key("ArrowRight"); report(here());
key("Escape"); report(here());
key("/"); report(document.activeElement.id);
var find = document.getElementById("find");
find.value = "string.rep";
find.dispatchEvent(new Event("input"));
report(document.querySelectorAll("#flame .found").length);
report(/string.rep: 30 /.test((function () { boxes().filter(function (b) { return b.textContent === "string.rep"; })[0].focus(); return document.getElementById("detail").textContent; })()));
var rows = document.querySelector("#lines tbody").rows;
document.querySelector('th button[data-column="4"]').click();
report(rows[0].cells[1].textContent + " " + rows[0].cells[4].textContent);
`)
	require.Equal(t, []string{
		"5 time",
		"all scripts, main f.lua:7, outer f.lua:5, inner f.lua:2, string.rep",
		"all scripts, main f.lua:7, outer f.lua:5 100%",
		"main f.lua:7",
		"outer f.lua:5",
		"inner f.lua:2",
		"outer f.lua:5",
		"all scripts",
		"main f.lua:7",
		"all scripts",
		"find",
		"2",
		"true",
		"inner 40",
	}, reports)
}
