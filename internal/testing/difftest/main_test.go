package difftest

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/seeds"
)

var record = flag.Bool("record", false, "write the goldens from the live oracle instead of comparing")

// theRunner is made once in TestMain and never changed.
var theRunner *Runner

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	flag.Parse()
	r := &Runner{Mode: Replay, Seeds: seeds.Read}
	how := os.Getenv("REDMOON_ORACLE")
	if how != "off" {
		o, err := StartOracle()
		switch {
		case err == nil:
			r.Mode, r.Oracle = Live, o
			defer o.Stop()
			cluster, stop := lazily(StartCluster)
			r.Cluster = cluster
			defer stop()
		case how == "require" || inCI() || *record:
			fmt.Fprintln(os.Stderr, "difftest: the comparison must be live here, but:", err)
			return 1
		default:
			fmt.Fprintf(os.Stderr, "difftest: %v; replaying the goldens recorded from it\n", err)
		}
	}
	if os.Getenv(redistest.Oracles) != "" || inCI() && how != "off" {
		o, err := StartLater()
		if err != nil {
			fmt.Fprintln(os.Stderr, "difftest:", err)
			return 1
		}
		r.Later = o
		defer o.Stop()
	}
	theRunner = r
	return m.Run()
}

// lazily starts a server when it is first asked for.
func lazily(start func() (*Oracle, error)) (get func() (*Oracle, error), stop func()) {
	var o *Oracle
	get = sync.OnceValues(func() (*Oracle, error) {
		var err error
		o, err = start()
		return o, err
	})
	return get, func() {
		if o != nil {
			o.Stop()
		}
	}
}

func inCI() bool { return os.Getenv("CI") == "true" }
