package main

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	charWidth  = 8.4
	lineHeight = 18
	padding    = 14
	header     = 30
	hold       = 4 * time.Second // the last frame, before the picture begins again
)

// colours are those of the codes 30 to 37 and 90 to 97, on the dark background of the picture.
var colours = map[int]string{
	30: "#5c6370", 31: "#ef7b85", 32: "#98c379", 33: "#e5c07b", 34: "#61afef", 35: "#c678dd", 36: "#56b6c2", 37: "#dcdfe4",
	90: "#8a919e", 91: "#ff9aa2", 92: "#b5e08f", 93: "#f5d796", 94: "#8cc8ff", 95: "#d99bf0", 96: "#7fd3de", 97: "#ffffff",
}

// span is a row of the screen that stays the same for a while.
type span struct {
	row      int
	text     string
	from, to time.Duration
}

// draw makes the picture.
func draw(t *tape, frames []frame) string {
	end := frames[len(frames)-1].at + hold
	spans := spansOf(frames, end)
	width, height := float64(t.width)*charWidth+2*padding, t.height*lineHeight+2*padding+header
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img" aria-label="%s">`+"\n",
		width, height, width, height, html.EscapeString(t.title))
	b.WriteString("<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#dcdfe4;white-space:pre}\n")
	names := map[[2]time.Duration]string{}
	for _, s := range spans {
		k := [2]time.Duration{s.from, s.to}
		if s.from == 0 && s.to == end || names[k] != "" {
			continue
		}
		names[k] = "k" + strconv.Itoa(len(names))
		b.WriteString(keyframes(names[k], s, end))
	}
	b.WriteString("@media (prefers-reduced-motion:reduce){.a{animation:none!important}}</style>\n")
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="10" fill="#1e2127"/><g fill="#5c6370">`+
		`<circle cx="20" cy="18" r="6"/><circle cx="40" cy="18" r="6"/><circle cx="60" cy="18" r="6"/></g>`+"\n")
	fmt.Fprintf(&b, `<text x="%.0f" y="23" text-anchor="middle" style="fill:#8a919e">%s</text>`+"\n", width/2, html.EscapeString(t.title))
	for _, s := range spans {
		y := header + padding + s.row*lineHeight + 13
		class := ""
		if name := names[[2]time.Duration{s.from, s.to}]; name != "" {
			shown := 0
			if s.to == end {
				shown = 1 // what stays where nothing moves
			}
			class = fmt.Sprintf(` class="a" opacity="%d" style="animation:%s %.2fs step-end infinite"`, shown, name, end.Seconds())
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d"%s>%s</text>`+"\n", padding, y, class, coloured(s.text))
	}
	return b.String() + "</svg>\n"
}

// keyframes is the animation of what is seen from one time to another.
func keyframes(name string, s span, end time.Duration) string {
	at := func(d time.Duration) string {
		return strconv.FormatFloat(100*d.Seconds()/end.Seconds(), 'f', 2, 64) + "%"
	}
	text := "@keyframes " + name + "{"
	if s.from > 0 {
		text += "0%{opacity:0}"
	}
	text += at(s.from) + "{opacity:1}"
	if s.to < end {
		text += at(s.to) + "{opacity:0}"
	}
	return text + "}\n"
}

// spansOf joins rows that stay the same over several frames.
func spansOf(frames []frame, end time.Duration) []span {
	var all []span
	rows := 0
	for _, f := range frames {
		rows = max(rows, len(f.rows))
	}
	for row := range rows {
		var open *span
		for i, f := range frames {
			text := ""
			if row < len(f.rows) {
				text = strings.TrimRight(f.rows[row], " ")
			}
			at := f.at
			if i == 0 {
				at = 0
			}
			if open != nil && open.text == text {
				continue
			}
			if open != nil {
				open.to = at
				all = append(all, *open)
			}
			open = &span{row: row, text: text, from: at}
		}
		open.to = end
		all = append(all, *open)
	}
	return slices.DeleteFunc(all, func(s span) bool { return plain(s.text) == "" || s.from == s.to })
}

// coloured turns escape sequences of colours into tspan elements.
func coloured(text string) string {
	var b strings.Builder
	colour, bold := "", false
	for text != "" {
		before, after, found := strings.Cut(text, "\x1b[")
		if before != "" {
			style := ""
			if colour != "" {
				style += "fill:" + colour + ";"
			}
			if bold {
				style += "font-weight:bold;"
			}
			shown := html.EscapeString(before)
			if style != "" {
				shown = `<tspan style="` + strings.TrimSuffix(style, ";") + `">` + shown + "</tspan>"
			}
			b.WriteString(shown)
		}
		if !found {
			break
		}
		codes, rest, ok := strings.Cut(after, "m")
		if !ok {
			break
		}
		text = rest
		for code := range strings.SplitSeq(codes, ";") {
			n, _ := strconv.Atoi(code) // none: 0
			switch {
			case n == 0:
				colour, bold = "", false
			case n == 1:
				bold = true
			case n == 39:
				colour = ""
			case colours[n] != "":
				colour = colours[n]
			}
		}
	}
	return b.String()
}

// plain is text without escape sequences.
func plain(text string) string {
	var b strings.Builder
	for text != "" {
		before, after, found := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !found {
			break
		}
		_, text, _ = strings.Cut(after, "m")
	}
	return strings.TrimSpace(b.String())
}
