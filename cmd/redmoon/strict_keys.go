package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/redmoon-lua/redmoon/engine"
)

// strictKeys is the flag --strict-keys: alone it refuses, with =warn it warns.
type strictKeys engine.KeyPolicy

// Decode reads the flag.
func (s *strictKeys) Decode(c *kong.DecodeContext) error {
	*s = strictKeys(engine.RefuseKeys)
	if c.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch value := fmt.Sprint(c.Scan.Pop().Value); value {
	case "error", "true":
	case "warn":
		*s = strictKeys(engine.WarnKeys)
	default:
		return fmt.Errorf("must be error or warn, not %q", value)
	}
	return nil
}

// IsBool makes the value optional.
func (s *strictKeys) IsBool() bool { return true }
