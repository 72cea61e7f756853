package lock

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

//go:embed write.lua
var writeSource string

var writeScript = script.New("lock: write", writeSource)

// Register is a value that only the holder of a lock can write: it refuses a write whose fencing
// token is smaller than the last one, so a holder that lost the lock without noticing overwrites
// nothing. It is safe for use by any number of goroutines.
type Register struct {
	c    engine.Client
	keys []string
}

// NewRegister returns the register of that name on c, the key register:{name}. It sends nothing. It
// returns [ErrName].
func NewRegister(c engine.Client, name string) (*Register, error) {
	if err := script.CheckName(ErrName, name); err != nil {
		return nil, err
	}
	return &Register{c: c, keys: []string{"register:{" + name + "}"}}, nil
}

// Write sets the value. It returns [ErrStale], and changes nothing, if a later fencing token was
// written.
func (r *Register) Write(ctx context.Context, token int64, value string) error {
	reply, err := writeScript.Run(ctx, r.c, r.keys, []string{script.Int(token), value})
	if err != nil {
		return err
	}
	switch reply.Outcome {
	case "written":
		return nil
	case "stale":
		return fmt.Errorf("%w: %d", ErrStale, token)
	}
	return reply.Unexpected()
}

// Read returns the value and the token it was written with, or "" and 0 if there is none.
func (r *Register) Read(ctx context.Context) (value string, token int64, err error) {
	v, err := r.c.DoStrings(ctx, "HMGET", r.keys[0], "value", "token")
	if err != nil {
		return "", 0, fmt.Errorf("lock: read: %w", err)
	}
	list := v.Slice()
	if len(list) != 2 {
		return "", 0, fmt.Errorf("lock: read: the reply is %v, want a value and a token", v)
	}
	if list[1].IsNil() {
		return "", 0, nil
	}
	token, err = strconv.ParseInt(list[1].Text(), 10, 64)
	if err != nil {
		return "", 0, fmt.Errorf("lock: read: stored token: %w", err)
	}
	return list[0].Text(), token, nil
}
