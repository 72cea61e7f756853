package harness

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/engine"
)

// Start is the time that the clock of a test shows at first, in Unix seconds: 2024-01-01 00:00:00
// UTC.
const Start = 1704067200

// Seed is the seed of the random choices of commands, unless the test sets another.
const Seed = 1

// Rand returns the source of the random choices of commands (SPOP, RANDOMKEY and so on).
func Rand(seed uint64) rand.Source { return rand.NewPCG(seed, seed) }

// Check returns an error if the keyspace of an engine is broken, which is a mistake in Redmoon. A
// closed engine is not checked. The error is [engine.ErrBusy] while a script runs.
func Check(e *engine.Engine) error {
	err := e.Check(context.Background())
	if errors.Is(err, engine.ErrClosed) {
		return nil
	}
	return err
}
