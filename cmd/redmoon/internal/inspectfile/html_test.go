package inspectfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page is well-formed, has each prefix, and loads nothing.
func TestPage(t *testing.T) {
	st := store(t)
	st.DB(0).SetString("<script>alert('1')</script>:a&b:\"c", strings.Repeat("x", 200), false)
	r := inspect(t, save(t, "a.rdb", encode(t, st)), Options{Top: 100})
	var b bytes.Buffer
	require.NoError(t, r.PrintHTML(&b))
	page := b.String()
	require.True(t, strings.HasPrefix(page, "<!DOCTYPE html>"))
	requireWellFormed(t, page)
	texts := textsOf(t, page)
	for _, p := range r.Keyspace.Prefixes.Top {
		require.Contains(t, texts, p.Prefix.String(), "in the table")
		require.Contains(t, page, ` title="`+html.EscapeString(p.Prefix.String())+`: `, "in the map")
	}
	for _, n := range r.Keyspace.Prefixes.tree.sorted() {
		require.Contains(t, page, `<span class="label">`+html.EscapeString(newName(n.segment).String())+` <span class="size">`+
			humanBytes(n.Bytes)+`</span></span>`, "its size, without a pointer over it")
	}
	require.Contains(t, page, "<p>"+figures(r.Keyspace.Prefixes.tree.Totals)+" in the file. ")
	require.Equal(t, 1, strings.Count(page, "<script>"))
	require.NotContains(t, page, "alert('")
	require.NotRegexp(t, regexp.MustCompile(`(?i)(src|href)=|url\(|@import|https?:`), page)
	require.Contains(t, page, `class="cell" style="left:0.000%;top:0.000%;`)
	require.NotContains(t, page, "ZgotmplZ", "what the template refuses")
	require.NotContains(t, page, "NaN")

	r = inspect(t, save(t, "a.aof", []byte(aofText("SELECT 0", "SET user:1:name ann"))), Options{Top: 9})
	b.Reset()
	require.NoError(t, r.PrintHTML(&b))
	requireWellFormed(t, b.String())
	require.Contains(t, textsOf(t, b.String()), "user:1:")
}

func requireWellFormed(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(scripts.ReplaceAllString(page, "")))
	d.Entity = xml.HTMLEntity
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

var scripts = regexp.MustCompile(`(?s)<script>.*?</script>`)

// textsOf returns the texts between the tags of a page.
func textsOf(t *testing.T, page string) (texts []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(scripts.ReplaceAllString(page, "")))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, string(text))
		}
	}
}
