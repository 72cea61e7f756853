package stock

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
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
	//go:embed order.lua
	orderSource string
	//go:embed holder.lua
	holderSource string
	//go:embed sweep.lua
	sweepSource string
	//go:embed report.lua
	reportSource string
)

var (
	defineScript  = script(defineSource)
	phaseScript   = script(phaseSource)
	supplyScript  = script(supplySource)
	unitsScript   = script(unitsSource)
	reserveScript = engine.NewScript(fastSource + commonSource + reserveSource)
	confirmScript = script(confirmSource)
	releaseScript = script(releaseSource)
	orderScript   = script(orderSource)
	holderScript  = script(holderSource)
	sweepScript   = script(sweepSource)
	reportScript  = script(reportSource)
)

func script(source string) *engine.Script { return engine.NewScript(commonSource + source) }

// ReserveScript is the script behind [Sale.Reserve]; reserve.lua says what its KEYS and ARGV are.
func ReserveScript() *engine.Script { return reserveScript }

// ConfirmScript is the script behind [Sale.Confirm]; confirm.lua says what its KEYS and ARGV are.
func ConfirmScript() *engine.Script { return confirmScript }

// run runs a script and returns what follows the word of success in its reply, if there is one. A refusal is an error; an order that comes with it is
// returned as well.
func (s *Sale) run(ctx context.Context, script *engine.Script, keys []string, args ...string) ([]engine.Value, error) {
	v, err := s.r.RunScript(ctx, script, keys, args)
	if err != nil {
		return nil, err
	}
	list := v.Slice()
	if list == nil && (v.Kind() == engine.KindInt || v.Kind() == engine.KindBulk) {
		list = []engine.Value{v} // what needs no list comes without
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("stock: unexpected reply of kind %s", v.Kind())
	}
	if list[0].Kind() == engine.KindInt {
		return list, nil // of a reservation
	}
	word := list[0].Text()
	if word == "ok" {
		return list[1:], nil
	}
	err, ok := refusals[word]
	if !ok {
		return nil, fmt.Errorf("stock: unexpected reply %q", word)
	}
	if len(list) > 1 && list[1].Slice() == nil {
		err = &ItemError{Item: list[1].Text(), Err: err}
	}
	return list[1:], err
}

// ordered is run for a script that answers an order.
func (s *Sale) ordered(ctx context.Context, script *engine.Script, keys []string, token string, args ...string) (Order, error) {
	list, err := s.run(ctx, script, keys, args...)
	return orderOf(token, list, err)
}

// orderOf reads the order that a script answers; an error that it answers goes with it.
func orderOf(token string, list []engine.Value, err error) (Order, error) {
	if len(list) == 0 && err != nil {
		return Order{}, err
	}
	if len(list) == 0 {
		return Order{}, fmt.Errorf("stock: a reply without an order")
	}
	fields := list[0].Slice()
	if len(fields) < 6 || len(fields)%3 != 0 {
		return Order{}, fmt.Errorf("stock: an order of %d fields", len(fields))
	}
	o := Order{
		Token: token, State: State(parse(states[:], fields[0].Text())), At: time.UnixMicro(fields[1].Int()), User: fields[2].Text(),
		Lines: make([]Line, 0, len(fields)/3-1),
	}
	for l := fields[3:]; len(l) > 0; l = l[3:] {
		line := Line{Item: l[0].Text(), Quantity: l[1].Int()}
		if serials := l[2].Slice(); serials != nil {
			line.Serials = l[2].Strings()
		}
		o.Lines = append(o.Lines, line)
	}
	return o, err
}
