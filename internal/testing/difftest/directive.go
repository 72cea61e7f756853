package difftest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// directive handles one directive; rest are the lines below it, the first of which has number
// first+1. It returns how many of them it used.
func (p *parser) directive(words []word, rest []string, first int) (skip int, err error) {
	name, arg := words[0].text, ""
	if len(words) > 1 {
		arg = words[1].text
	}
	switch name {
	case "!doors":
		return 0, p.doors(arg)
	case "!resp":
		if arg != "2" && arg != "3" {
			return 0, fmt.Errorf("!resp takes 2 or 3")
		}
		p.add(Step{kind: stepResp, N: int(arg[0] - '0')})
	case "!cluster":
		if len(p.file.Steps) > 0 {
			return 0, fmt.Errorf("!cluster stands before the first command")
		}
		p.file.Cluster = true
	case "!session":
		if arg == "" {
			return 0, fmt.Errorf("!session needs a name")
		}
		p.add(Step{kind: stepSession, Name: arg})
	case "!close":
		p.add(Step{kind: stepClose})
	case "!unordered":
		p.next.Relax.Unordered, p.next.Relax.Pairs = true, arg == "pairs"
	case "!kind":
		p.next.Relax.Kind = true
	case "!count":
		p.next.Relax.Count = true
	case "!names":
		p.next.Relax.Names = true
	case "!monitor":
		p.next.Relax.Monitor = true
	case "!scan":
		p.next.Relax.Scan = true
	case "!approx":
		p.next.Relax.Approx, err = strconv.ParseInt(arg, 10, 64)
	case "!ids":
		p.next.IDs, p.file.ids = true, true
	case "!differs":
		p.next.Differs = arg
	case "!noreply":
		p.next.NoReply = true
	case "!blocks":
		p.next.Blocks = true
	case "!busy":
		p.next.Busy = true
	case "!await", "!blocked", "!pushes":
		s := p.next
		s.kind = map[string]stepKind{"!await": stepAwait, "!blocked": stepBlocked, "!pushes": stepPushes}[name]
		p.next = Step{}
		p.add(s)
	case "!frozen":
		if arg != "on" && arg != "off" {
			return 0, fmt.Errorf("!frozen takes on or off")
		}
		p.frozen = arg == "on"
	case "!wait":
		var d time.Duration
		d, err = time.ParseDuration(arg)
		p.add(Step{kind: stepWait, Wait: d})
	case "!raw":
		return 0, p.raw(words)
	case "!loop":
		return p.loop(arg, rest, first)
	default:
		return 0, fmt.Errorf("unknown directive %s", name)
	}
	return 0, err
}

func (p *parser) doors(list string) error {
	if len(p.file.Steps) > 0 {
		return fmt.Errorf("!doors stands before the first command")
	}
	p.file.Doors = nil
	for d := range strings.SplitSeq(list, ",") {
		switch Door(d) {
		case DoorRESP, DoorGo, DoorCall, DoorExec:
			p.file.Doors = append(p.file.Doors, Door(d))
		default:
			return fmt.Errorf("unknown door %q", d)
		}
	}
	return nil
}

func (p *parser) raw(words []word) error {
	if len(p.file.Doors) != 1 || p.file.Doors[0] != DoorRESP {
		return fmt.Errorf("!raw needs !doors resp")
	}
	s := p.next
	p.next = Step{}
	s.kind, s.N, s.Frozen = stepRaw, 1, p.frozen
	if len(words) < 2 {
		return fmt.Errorf("!raw needs bytes")
	}
	s.Raw = words[1].text
	if len(words) > 2 {
		n, err := strconv.Atoi(words[2].text)
		if err != nil {
			return err
		}
		s.N = n
	}
	p.add(s)
	return nil
}

// loop plays the lines up to the matching !end count times.
func (p *parser) loop(count string, rest []string, first int) (skip int, err error) {
	n, err := strconv.Atoi(count)
	if err != nil {
		return 0, err
	}
	end, depth := -1, 0
	for i, l := range rest {
		switch l = strings.TrimSpace(l); {
		case strings.HasPrefix(l, "!loop"):
			depth++
		case l == "!end" && depth == 0:
			end = i
		case l == "!end":
			depth--
		}
		if end >= 0 {
			break
		}
	}
	if end < 0 {
		return 0, fmt.Errorf("!loop without !end")
	}
	for i := range n {
		if err := p.parse(rest[:end], first, i); err != nil {
			return 0, err
		}
	}
	return end + 1, nil
}
