package display

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// scriptLine finds the line number in Redis's error texts: "on @user_script:3." behind an error of a running script,
// "user_script:3:" before the message of one that does not compile.
var scriptLine = regexp.MustCompile(`@?user_script:([0-9]+)`)

// ErrorLine returns the line of the script that an error text of Redis points at, counted from 1.
func ErrorLine(text string) (line int, ok bool) {
	all := scriptLine.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0, false
	}
	line, err := strconv.Atoi(all[len(all)-1][1])
	return line, err == nil && line > 0
}

// context is how many lines an excerpt shows before and after the line that failed.
const context = 2

// Excerpt shows line of source, counted from 1, with an arrow before it and some lines around it, under a title
// name:line. It is empty when source has no such line.
func Excerpt(name, source string, line int) string {
	lines := strings.Split(strings.TrimSuffix(source, "\n"), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	last := min(line+context, len(lines))
	width := len(strconv.Itoa(last))
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d\n", name, line)
	for n := max(line-context, 1); n <= last; n++ {
		mark := " "
		if n == line {
			mark = ">"
		}
		text := strings.TrimRight(fmt.Sprintf("%s %*d | %s", mark, width, n, strings.TrimSuffix(lines[n-1], "\r")), " ")
		b.WriteString(text + "\n")
	}
	return b.String()
}
