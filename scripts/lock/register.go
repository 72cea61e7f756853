package lock

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

//go:embed write.lua
var writeSource string

var writeScript = engine.NewScript(writeSource)

// Register is a value that only the holder of a lock may write: it takes no write with a fencing token smaller than one it has seen, so that one who
// has lost the lock without noticing overwrites nothing. It is safe for use by any number of goroutines.
type Register struct {
	c    engine.Client
	keys []string
}

// NewRegister returns the register of that name on c, the key register:{name}. It touches nothing. It returns [ErrName] for a name that is empty or
// holds a brace.
func NewRegister(c engine.Client, name string) (*Register, error) {
	if name == "" || strings.ContainsAny(name, "{}") {
		return nil, ErrName
	}
	return &Register{c: c, keys: []string{"register:{" + name + "}"}}, nil
}

// Write sets the value. It returns [ErrStale], and changes nothing, when a later fencing token has written.
func (r *Register) Write(ctx context.Context, token int64, value string) error {
	v, err := r.c.RunScript(ctx, writeScript, r.keys, []string{strconv.FormatInt(token, 10), value})
	if err != nil {
		return err
	}
	outcome, _, err := parse(v)
	if err != nil {
		return err
	}
	return outcome.Err()
}

// Read returns the value and the token it was written with; "" and 0 when it was not.
func (r *Register) Read(ctx context.Context) (value string, token int64, err error) {
	v, err := r.c.DoStrings(ctx, "HMGET", r.keys[0], "value", "token")
	if err != nil {
		return "", 0, err
	}
	list := v.Slice()
	if len(list) != 2 {
		return "", 0, fmt.Errorf("lock: unexpected register of %d parts", len(list))
	}
	if list[1].IsNil() {
		return "", 0, nil
	}
	token, err = strconv.ParseInt(list[1].Text(), 10, 64)
	return list[0].Text(), token, err
}
