package script

import (
	"context"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
)

// Script is a ready script with the name that its errors begin with. It is immutable.
type Script struct {
	name   string
	script *engine.Script
}

// New returns the script of the given Lua source. name is the package and what the script does,
// such as "lock: acquire".
func New(name, source string) *Script {
	return &Script{name: name, script: engine.NewScript(source).Named(name)}
}

// Engine is the script as package engine knows it.
func (s *Script) Engine() *engine.Script { return s.script }

// Run runs the script on r. An error of r is wrapped and begins with the name of the script. A
// reply without an outcome is an error, too. keys and args may be used again when Run returns.
func (s *Script) Run(ctx context.Context, r engine.Runner, keys, args []string) (Reply, error) {
	v, err := r.RunScript(ctx, s.script, keys, args)
	if err != nil {
		return Reply{}, fmt.Errorf("%s: %w", s.name, err)
	}
	if v.Kind() == engine.KindBulk {
		return Reply{script: s, Outcome: v.Text()}, nil
	}
	list := v.Slice()
	if len(list) == 0 || list[0].Kind() != engine.KindBulk {
		return Reply{}, fmt.Errorf("%s: the reply is %v, want a word or a list that begins with one", s.name, v)
	}
	return Reply{script: s, Outcome: list[0].Text(), details: list[1:]}, nil
}
