package scripts_test

import (
	"testing"

	"github.com/redmoon-lua/redmoon/redmoontest"
)

// TestLua runs the tests of the scripts that are written in Lua. They reach every line and every
// branch of each script.
func TestLua(t *testing.T) { redmoontest.RunLua(t, ".") }
