package stock

import (
	"context"
	_ "embed"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

var (
	//go:embed common.lua
	commonSource string
	//go:embed fast.lua
	fastSource string
	//go:embed define.lua
	defineSource string
	//go:embed phase.lua
	phaseSource string
	//go:embed supply.lua
	supplySource string
	//go:embed units.lua
	unitsSource string
	//go:embed reserve.lua
	reserveSource string
	//go:embed confirm.lua
	confirmSource string
	//go:embed release.lua
	releaseSource string
	//go:embed find.lua
	findSource string
	//go:embed holder.lua
	holderSource string
	//go:embed sweep.lua
	sweepSource string
	//go:embed status.lua
	statusSource string
)

var (
	defineScript  = script.New("stock: define", commonSource+defineSource)
	phaseScript   = script.New("stock: open or close", commonSource+phaseSource)
	supplyScript  = script.New("stock: supply", commonSource+supplySource)
	unitsScript   = script.New("stock: supply units", commonSource+unitsSource)
	reserveScript = script.New("stock: reserve", fastSource+commonSource+reserveSource)
	confirmScript = script.New("stock: confirm", commonSource+confirmSource)
	releaseScript = script.New("stock: release", commonSource+releaseSource)
	findScript    = script.New("stock: find", commonSource+findSource)
	holderScript  = script.New("stock: holder", commonSource+holderSource)
	sweepScript   = script.New("stock: sweep", commonSource+sweepSource)
	statusScript  = script.New("stock: status", commonSource+statusSource)
)

// ReserveScript is the script behind [Sale.Reserve]; the head of reserve.lua describes KEYS and
// ARGV.
func ReserveScript() *engine.Script { return reserveScript.Engine() }

// ConfirmScript is the script behind [Sale.Confirm]; the head of confirm.lua describes KEYS and
// ARGV.
func ConfirmScript() *engine.Script { return confirmScript.Engine() }

// run runs a script. An outcome that refuses the call is an error; the reply is returned with it.
func (s *Sale) run(ctx context.Context, sc *script.Script, keys []string, args ...string) (script.Reply, error) {
	r, err := sc.Run(ctx, s.c, keys, args)
	if err != nil {
		return script.Reply{}, err
	}
	switch r.Outcome {
	case "ok", "reserved":
		return r, nil
	}
	if err := refusals[r.Outcome]; err != nil {
		return r, err
	}
	if err := itemRefusals[r.Outcome]; err != nil {
		item := r.Text(0)
		if r.Err() != nil {
			return script.Reply{}, r.Err()
		}
		return r, &ItemError{Item: item, Err: err}
	}
	return script.Reply{}, r.Unexpected()
}
