package engine

// DebugCall is an EVAL or EVAL_RO of a client that has sent SCRIPT DEBUG YES or SYNC: the script has not been run. Who serves the client runs it under a
// debugger, and answers.
type DebugCall struct {
	Sync       bool    // SCRIPT DEBUG SYNC: the script is to run on the engine itself and its changes stay; else on a [Engine.Fork]
	Script     *Script // where EVAL_RO was sent, one that may not write; see [Script.ReadOnly]
	Keys, Args []string
	Error      Value // an error reply: the number of keys is wrong, and there is nothing to run; else a null
}
