package excerpt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// scriptLine matches the line number in an error of Redis: "on @user_script:3." at the end of a
// run-time error, "user_script:3:" in a compile error; user_function for a library.
var scriptLine = regexp.MustCompile(`@?user_(?:script|function):([0-9]+)`)

// Line returns the line of the script or library, from 1, that an error of Redis names.
func Line(text string) (line int, ok bool) {
	all := scriptLine.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0, false
	}
	line, err := strconv.Atoi(all[len(all)-1][1])
	return line, err == nil && line > 0
}

// around is the number of lines that an excerpt shows before and after the line.
const around = 2

// Of returns a line of source, from 1, with an arrow and the lines around it, under the title
// name:line. It returns "" if source has no such line.
func Of(name, source string, line int) string {
	lines := strings.Split(strings.TrimSuffix(source, "\n"), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	last := min(line+around, len(lines))
	width := len(strconv.Itoa(last))
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d\n", name, line)
	for n := max(line-around, 1); n <= last; n++ {
		mark := " "
		if n == line {
			mark = ">"
		}
		text := strings.TrimRight(fmt.Sprintf("%s %*d | %s", mark, width, n, strings.TrimSuffix(lines[n-1], "\r")), " ")
		b.WriteString(text + "\n")
	}
	return b.String()
}
