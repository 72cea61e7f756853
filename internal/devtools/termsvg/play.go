package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// frame is the screen from a time on.
type frame struct {
	at   time.Duration
	rows []string // with escape sequences of colours
}

const (
	letter = 45 * time.Millisecond  // the time of a typed letter in the picture
	key    = 300 * time.Millisecond // the time of a pressed key
	limit  = 30 * time.Second       // how long an await may take
	look   = 20 * time.Millisecond  // between two looks at the screen
)

type player struct {
	socket string
	now    time.Duration // in the picture
	frames []frame
}

func (p *player) tmux(args ...string) (string, error) {
	out, err := exec.Command("tmux", append([]string{"-L", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// play runs the steps of a tape in a terminal.
func play(t *tape, bin, home string) ([]frame, error) {
	p := &player{socket: fmt.Sprintf("termsvg-%d", os.Getpid())}
	shell := []string{"env", "-i", "PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "TERM=screen-256color", "LANG=C.UTF-8",
		"PS1=$ ", "REDMOON_HISTORY=", "bash", "--norc", "--noprofile"}
	_, err := p.tmux(append([]string{"-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(t.width), "-y", strconv.Itoa(t.height),
		"-c", home}, shell...)...)
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = p.tmux("kill-server") }() // it may have ended
	if err := p.await("^\\$ ", func(s string) bool { return strings.HasPrefix(s, "$") }); err != nil {
		return nil, err
	}
	for _, s := range t.steps {
		if err := p.step(s); err != nil {
			return nil, fmt.Errorf("line %d: %s %s: %w", s.line, s.verb, s.text, err)
		}
	}
	p.keep(p.now)
	return p.frames, nil
}

func (p *player) step(s step) error {
	switch s.verb {
	case "type":
		for _, r := range s.text {
			if _, err := p.tmux("send-keys", "-l", "--", string(r)); err != nil {
				return err
			}
			time.Sleep(look)
			p.now += letter
			p.keep(p.now)
		}
	case "press":
		for _, k := range strings.Fields(s.text) {
			if _, err := p.tmux("send-keys", k); err != nil {
				return err
			}
			p.now += key
			time.Sleep(5 * look)
			p.keep(p.now)
		}
	case "await":
		if err := p.await(s.text, func(screen string) bool { return s.match.MatchString(screen) }); err != nil {
			return err
		}
		p.now += key
		p.keep(p.now)
	case "pause":
		p.keep(p.now)
		p.now += s.pause
	}
	return nil
}

// await waits until the screen is as wanted.
func (p *player) await(what string, ok func(string) bool) error {
	for end := time.Now().Add(limit); ; time.Sleep(look) {
		text, err := p.tmux("capture-pane", "-p")
		if err != nil {
			return err
		}
		if ok(text) {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the screen does not show %s:\n%s", what, text)
		}
	}
}

// keep keeps the screen as it is now.
func (p *player) keep(at time.Duration) {
	text, err := p.tmux("capture-pane", "-p", "-e")
	if err != nil {
		return // the session has ended; the last frame stays
	}
	p.frames = append(p.frames, frame{at, strings.Split(strings.TrimRight(text, "\n"), "\n")})
}
