package bundle

import (
	"encoding/json"
	"path/filepath"
	"unicode/utf16"
)

// sourceMap is a source map of version 3, as https://tc39.es/ecma426 describes it.
type sourceMap struct {
	Version        int      `json:"version"`
	File           string   `json:"file"`
	Sources        []string `json:"sources"`
	SourcesContent []string `json:"sourcesContent"`
	Names          []string `json:"names"`
	Mappings       string   `json:"mappings"`
}

// SourceMap returns the source map of the text, in JSON. name is the path of the file in which the
// text is or will be kept; the paths of the sources are relative to its folder.
//
// Each line of the text has one entry, and one more where a file begins within it.
func (b *Bundle) SourceMap(name string) ([]byte, error) {
	m := sourceMap{Version: 3, File: filepath.Base(name), Names: []string{}, SourcesContent: b.texts}
	folder, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	for _, file := range b.Files {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(folder, abs)
		if err != nil {
			rel = abs // another volume
		}
		m.Sources = append(m.Sources, filepath.ToSlash(rel))
	}
	m.Mappings = b.mappings()
	return json.Marshal(m)
}

// mappings lists the entries: columns and places, each as the difference from the one before.
func (b *Bundle) mappings() string {
	var out []byte
	var file, line, column int // of the last entry
	next := 0                  // the first piece that begins at or behind the line
	for n, start := range b.lines {
		if n > 0 {
			out = append(out, ';')
		}
		end := len(b.Text) + 1
		if n+1 < len(b.lines) {
			end = b.lines[n+1]
		}
		last := 0 // column of the last entry in this line
		entry := func(at int) {
			if at >= len(b.Text) {
				return
			}
			if at > start {
				out = append(out, ',')
			}
			p, here := b.At(at), units(b.Text[start:at])
			index := b.pieceAt(at).file
			from := units(b.texts[index][p.Offset+1-p.Column : p.Offset])
			out = appendVLQ(out, here-last)
			out = appendVLQ(out, index-file)
			out = appendVLQ(out, p.Line-1-line)
			out = appendVLQ(out, from-column)
			last, file, line, column = here, index, p.Line-1, from
		}
		entry(start)
		for ; next < len(b.pieces) && b.pieces[next].at < end; next++ {
			if b.pieces[next].at > start {
				entry(b.pieces[next].at)
			}
		}
	}
	return string(out)
}

// units returns the length of a text in UTF-16, in which source maps count columns.
func units(text string) (n int) {
	for _, c := range text {
		n += utf16.RuneLen(c)
	}
	return n
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// appendVLQ appends a number in base 64, five bits in each digit, the sign in the lowest bit.
func appendVLQ(out []byte, n int) []byte {
	v := uint(n) << 1
	if n < 0 {
		v = uint(-n)<<1 | 1
	}
	for ; v > 31; v >>= 5 {
		out = append(out, base64Digits[v&31|32])
	}
	return append(out, base64Digits[v])
}
