package main

import "testing"

func TestEachWorkloadDoesItsWork(t *testing.T) {
	for _, w := range append(workloads(), shardWorkloads()...) {
		if err := checkFirstReply(w); err != nil {
			t.Error(err)
		}
	}
}

func TestAWorkloadThatDoesNothingIsReported(t *testing.T) {
	w := redpacketWorkload()
	w.setup = nil
	if checkFirstReply(w) == nil {
		t.Error("a grab without packets passes")
	}
}
