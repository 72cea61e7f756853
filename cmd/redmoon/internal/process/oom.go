package process

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
)

// oomPath is where Linux keeps how soon it kills this process when memory runs out.
const oomPath = "/proc/self/oom_score_adj"

// OOM sets how soon the system kills the process when memory runs out: the parameters oom-score-adj
// and oom-score-adj-values. Linux only.
type OOM struct {
	mu   sync.Mutex
	set  bool
	base int // if set: before the program has set it
}

// Set applies the parameters. mode is "no", "relative", "yes" or "absolute"; values has three
// numbers: for a master, for a replica and for a child. The process takes the first or the second.
func (o *OOM) Set(mode, values string, replica bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.set {
		if mode == "no" {
			return nil
		}
		text, err := os.ReadFile(oomPath)
		if err == nil {
			o.base, err = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		if err != nil {
			return errors.New("oom_score_adj is not there: this system does not have it")
		}
	}
	words := strings.Fields(values)
	value := o.base
	if mode != "no" && len(words) == 3 {
		at := 0
		if replica {
			at = 1
		}
		n, err := strconv.Atoi(words[at])
		if err != nil {
			return err
		}
		if value = n; mode != "absolute" {
			value += o.base
		}
		value = max(-1000, min(value, 1000))
	}
	err := os.WriteFile(oomPath, []byte(strconv.Itoa(value)), 0o644)
	if err != nil {
		return errors.New("Unable to write oom_score_adj: " + errno(err))
	}
	o.set = mode != "no"
	return nil
}
