package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A caller may give up after its turn has come and before the loop has begun its script.
func TestACallGivenUpBeforeItsScriptBeginsIsStopped(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	for range 2 { // the VM is made by the first
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
