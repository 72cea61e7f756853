//go:build unix

package screen

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// Screen is a terminal in which a program runs.
type Screen struct {
	t      testing.TB
	socket string
	alive  *os.File // a pipe that the program has open
}

// Options of a screen. The zero value works.
type Options struct {
	Width, Height int      // in characters; default 100 by 40
	Env           []string // NAME=value, on top of a small environment
	Dir           string   // the working directory; default: the test's
}

// Start runs a program, its name first, until the test ends. Without tmux the test is skipped, or
// fails where CI is true.
func Start(t testing.TB, o Options, command ...string) *Screen {
	t.Helper()
	redistest.NeedProgram(t, "tmux")
	if o.Width == 0 {
		o.Width, o.Height = 100, 40
	}
	folder, err := os.MkdirTemp("", "tmux") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	s := &Screen{t: t, socket: filepath.Join(folder, "s")}
	pipe := filepath.Join(folder, "alive")
	err = syscall.Mkfifo(pipe, 0o600)
	if err == nil {
		s.alive, err = os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(o.Width), "-y", strconv.Itoa(o.Height)}
	if o.Dir != "" {
		args = append(args, "-c", o.Dir)
	}
	program := append([]string{"env", "-i", "PATH=" + os.Getenv("PATH"), "TERM=screen-256color", "LANG=C.UTF-8"}, o.Env...)
	line := quote(append(program, command...))
	s.tmux(append(args, "exec 9>"+quote([]string{pipe})+"; "+line+`; echo "exit code $?"; exec tail -f /dev/null`)...)
	t.Cleanup(s.end)
	return s
}

// end ends the terminal and waits until the program has ended: until no process has the pipe open.
func (s *Screen) end() {
	_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() // it may have ended
	_ = s.alive.SetReadDeadline(patience.Deadline())
	_, _ = s.alive.Read(make([]byte, 1))
	_ = s.alive.Close()
}

// quote is a command line for a shell.
func quote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

func (s *Screen) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Type types text as it is.
func (s *Screen) Type(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", "--", text)
}

// Press presses keys by the names that tmux gives them: Enter, Tab, Up, C-c, C-d.
func (s *Screen) Press(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// Line types a line and Enter.
func (s *Screen) Line(text string) {
	s.t.Helper()
	s.Type(text)
	s.Press("Enter")
}

// Resize gives the terminal another size, in characters.
func (s *Screen) Resize(width, height int) {
	s.t.Helper()
	s.tmux("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// Text is what the screen shows, without spaces at the ends of lines and empty lines at the end.
func (s *Screen) Text() string {
	s.t.Helper()
	return trim(s.tmux("capture-pane", "-p"))
}

// Colours is Text with the escape sequences of colours.
func (s *Screen) Colours() string {
	s.t.Helper()
	return trim(s.tmux("capture-pane", "-p", "-e"))
}

// All is Text with the lines that have left the screen at the top.
func (s *Screen) All() string {
	s.t.Helper()
	return trim(s.tmux("capture-pane", "-p", "-S", "-"))
}

func trim(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Wait waits until the screen matches a regular expression, in which ^ and $ are ends of lines, and
// returns the text.
func (s *Screen) Wait(pattern string) string {
	s.t.Helper()
	return s.until("to match "+pattern, s.Text, regexp.MustCompile("(?m)"+pattern).MatchString)
}

// WaitEnd waits until the last line that is not empty matches: a prompt that is ready, such as "^>
// $" without its space at the end.
func (s *Screen) WaitEnd(pattern string) string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	return s.until("to end with "+pattern, s.Text, func(text string) bool { return re.MatchString(text[strings.LastIndex(text, "\n")+1:]) })
}

func (s *Screen) until(what string, look func() string, ok func(string) bool) string {
	s.t.Helper()
	text := ""
	if err := patience.Try(func() error {
		if text = look(); ok(text) {
			return nil
		}
		return errors.New("it does not come " + what)
	}); err != nil {
		s.t.Fatalf("the screen: %v; it is:\n%s", err, text)
	}
	return text
}
