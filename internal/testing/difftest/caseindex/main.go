// Caseindex writes CASES.md, the list of case files by command.
package main

import (
	"fmt"
	"os"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
)

func main() {
	index, err := difftest.CaseIndex("testdata")
	if err == nil {
		err = os.WriteFile("CASES.md", index, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "caseindex:", err)
		os.Exit(1)
	}
}
