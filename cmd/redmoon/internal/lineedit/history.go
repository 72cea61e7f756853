package lineedit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// maxHistory is the maximum number of lines in a history file.
const maxHistory = 1000

// History holds the lines typed so far, the oldest first. Its file has one line for each of them; a
// line break within a line is stored as the record separator of ASCII. Lines that hold a password
// are not stored.
type History struct {
	path  string // empty: only in memory
	lines []string
}

// HistoryFile returns the path of the history file: $REDMOON_HISTORY, which may be empty for no
// file, else $XDG_STATE_HOME/redmoon/history if that variable is set, else ~/.redmoon_history.
func HistoryFile(getenv func(string) (string, bool)) string {
	if path, ok := getenv("REDMOON_HISTORY"); ok {
		return path
	}
	if dir, _ := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "redmoon", "history")
	}
	if home, _ := getenv("HOME"); home != "" {
		return filepath.Join(home, ".redmoon_history")
	}
	return ""
}

// LoadHistory reads a history file. A file that does not exist is an empty history.
func LoadHistory(path string) (*History, error) {
	h := &History{path: path}
	if path == "" {
		return h, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return h, nil
	}
	for _, line := range strings.Split(string(b), "\n") {
		if line != "" {
			h.lines = append(h.lines, fromFile(line))
		}
	}
	h.lines = h.lines[max(0, len(h.lines)-maxHistory):]
	return h, err
}

// Add adds a line, unless it is equal to the last one.
func (h *History) Add(line string) {
	line = strings.TrimSpace(line)
	if line == "" || holdsPassword(line) || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	h.lines = h.lines[max(0, len(h.lines)-maxHistory):]
}

// holdsPassword reports whether a line may hold a password.
func holdsPassword(line string) bool {
	words := strings.Fields(strings.ToLower(line))
	switch words[0] {
	case "auth":
		return true
	case "hello":
		return len(words) > 2
	case "config":
		return strings.Contains(line, "requirepass")
	}
	return false
}

// Save writes the history to its file, which only its owner may read.
func (h *History) Save() error {
	if h.path == "" || len(h.lines) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	var b strings.Builder
	for _, line := range h.lines {
		b.WriteString(toFile(line) + "\n")
	}
	return os.WriteFile(h.path, []byte(b.String()), 0o600)
}

const lineBreak = "\x1e"

func toFile(entry string) string  { return strings.ReplaceAll(entry, "\n", lineBreak) }
func fromFile(line string) string { return strings.ReplaceAll(line, lineBreak, "\n") }
