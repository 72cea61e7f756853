package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A context may end after the turn of its call has come but before the loop begins the script.
func TestACallGivenUpBeforeItsScriptBeginsIsStopped(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	for range 2 { // the first run makes the VM
		r := e.newRequest()
		r.sess, r.cancellable = e.shared, true
		r.args = append(r.args, "EVAL", "while true do end", "0")
		e.interrupt(r)
		e.requests <- r
		<-r.done
		require.ErrorIs(t, r.err, errInterrupted)
		e.freeRequest(r)
	}
}
