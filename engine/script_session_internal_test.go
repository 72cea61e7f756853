package engine

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// The session of a script's commands is used again by the next script, so no command may leave
// anything in it that StartScript does not set.
func TestScriptsLeaveNothingInTheirSession(t *testing.T) {
	e, err := New(Options{Server: "8.0"})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	ctx := context.Background()
	_, err = e.Do(ctx, "DEBUG", "SET-DISABLE-DENY-SCRIPTS", "1")
	require.NoError(t, err)
	set := map[string]bool{"ID": true, "DB": true, "Proto": true, "Authenticated": true, "User": true, "crossSlot": true, "MustObey": true,
		"slot": true, "Commands": true} // Commands counts, whoever asks
	ran := 0
	for _, spec := range cmdrows.TableOf(servers.Redis80).All {
		if !spec.HasHandler() || spec.Changes&cmdtable.Files != 0 {
			continue
		}
		for more := range 3 {
			args := []string{spec.Name}
			if spec.Parent != nil {
				args = []string{spec.Parent.Name, spec.Name}
			}
			for len(args) < spec.MinArgs+more {
				args = append(args, "1")
			}
			list := make([]any, len(args))
			for i, a := range args {
				list[i] = a
			}
			_, err := NewScript("redis.setresp(3); redis.pcall(unpack(ARGV)); return 1").Run(ctx, e, nil, list...)
			require.NoError(t, err, "%v", args)
			ran++
			require.NoError(t, e.onLoop(func() {
				session := reflect.ValueOf(&e.server.Run.Session).Elem()
				for _, field := range reflect.VisibleFields(session.Type()) {
					if !field.Anonymous && !set[field.Name] {
						assert.True(t, session.FieldByIndex(field.Index).IsZero(), "%v sets %s", args, field.Name)
					}
				}
			}))
		}
	}
	require.Greater(t, ran, 500)
}
