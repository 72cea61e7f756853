package repo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// luckList is the list of the places that stay, each with its reason.
const luckList = "internal/testing/repo/testdata/luck.txt"

// TestNoLuck fails for each place in a test that depends on the speed of the machine or on a fixed
// port, if the list does not name it with a reason. Most places need no line: see the package
// patience, the virtual clock, testing/synctest and port 0.
func TestNoLuck(t *testing.T) {
	listed, err := parseLuck(read(t, luckList))
	require.NoError(t, err)
	found, err := Luck(Root())
	require.NoError(t, err)
	used := map[Place]bool{}
	for _, p := range found {
		key := Place{File: p.File, Func: p.Func, Call: p.Call}
		used[key] = true
		if _, ok := listed[key]; !ok {
			t.Errorf("%s, and %s has no line for it", p, luckList)
		}
	}
	for key := range listed {
		if !used[key] {
			t.Errorf("%s: %s does not use %s any more: remove the line from %s", key.File, key.Func, key.Call, luckList)
		}
	}
}

// parseLuck returns the reason of each place of the list. A line holds the path, the function, the
// call and the reason, with tabs between them. A line without a reason has that of the line
// "# reason" above it, which holds up to the next empty line.
func parseLuck(list string) (map[Place]string, error) {
	places, group := map[Place]string{}, ""
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if reason, ok := strings.CutPrefix(line, "# "); ok {
			group = reason
			continue
		}
		if line == "" {
			group = ""
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) == 3 {
			columns = append(columns, group)
		}
		if len(columns) != 4 || columns[3] == "" {
			return nil, fmt.Errorf("the line %q needs a path, a function, a call and a reason", line)
		}
		place := Place{File: columns[0], Func: columns[1], Call: columns[2]}
		if _, ok := places[place]; ok {
			return nil, fmt.Errorf("the line %q stands twice", line)
		}
		places[place] = columns[3]
	}
	return places, nil
}

func TestLuckListHasReasons(t *testing.T) {
	a, b := Place{File: "a_test.go", Func: "f", Call: "time.Now"}, Place{File: "b_test.go", Func: "T.g", Call: "time.Since"}
	places, err := parseLuck("a_test.go\tf\ttime.Now\twhy\n\n# both\nb_test.go\tT.g\ttime.Since\n")
	require.NoError(t, err)
	require.Equal(t, map[Place]string{a: "why", b: "both"}, places)
	for name, list := range map[string]string{
		"no reason":            "a_test.go\tf\ttime.Now\n",
		"an empty reason":      "a_test.go\tf\ttime.Now\t\n",
		"after a group's end":  "# why\n\na_test.go\tf\ttime.Now\n",
		"no call":              "a_test.go\tf\n",
		"the same place twice": "a_test.go\tf\ttime.Now\twhy\na_test.go\tf\ttime.Now\twhy\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseLuck(list)
			require.Error(t, err)
		})
	}
}

// luckOf returns the function and the call of each place in a file with these imports and body.
func luckOf(t *testing.T, imports, source string) (list []string) {
	t.Helper()
	var head strings.Builder
	for imp := range strings.FieldsSeq(imports) {
		name, p, named := strings.Cut(imp, "=")
		if !named {
			name, p = "", imp
		}
		fmt.Fprintf(&head, "import %s %q\n", name, p)
	}
	found, err := LuckIn("a_test.go", []byte("package a\n"+head.String()+source+"\n"))
	require.NoError(t, err)
	for _, p := range found {
		require.Equal(t, "a_test.go", p.File)
		list = append(list, p.Func+" "+p.Call)
	}
	return list
}

func TestLuckIsFound(t *testing.T) {
	for pkg, names := range luckyFuncs {
		for _, name := range names {
			call := pkg + "." + name
			require.Equal(t, []string{"f " + call}, luckOf(t, pkg, "func f() { "+call+"() }"))
			require.Equal(t, []string{"v " + call}, luckOf(t, pkg, "var v = "+call), "a function without a call")
			require.Equal(t, []string{"f " + call}, luckOf(t, "x="+pkg, "func f() { x."+name+"() }"), "a renamed import")
			require.Empty(t, luckOf(t, "example.com/"+pkg, "func f() { "+call+"() }"), "another package of this name")
			require.Equal(t, []string{"import . " + pkg}, luckOf(t, ".="+pkg, ""))
		}
	}
	for _, name := range luckyMethods {
		require.Equal(t, []string{"f c." + name}, luckOf(t, "", "func f() { c."+name+"(d) }"))
		require.Equal(t, []string{"f c.nc." + name}, luckOf(t, "time", "func f() { c.nc."+name+"(time.Unix(1, 0)) }"))
		require.Equal(t, []string{"f c." + name}, luckOf(t, patiencePath, "func f() { c."+name+"(patience.Deadline().Add(1)) }"))
		require.Empty(t, luckOf(t, patiencePath, "func f() { c."+name+"(patience.Deadline()) }"))
		require.Empty(t, luckOf(t, "time", "func f() { c."+name+"(time.Time{}) }"))
	}
	for _, name := range luckyAsserts {
		for _, form := range []string{name, name + "f"} {
			for _, pkg := range []string{"require", "assert"} {
				require.Equal(t, []string{"f " + pkg + "." + form},
					luckOf(t, "github.com/stretchr/testify/"+pkg, "func f() { "+pkg+"."+form+"(t, is, 1, 1) }"))
			}
			require.Equal(t, []string{"f is." + form}, luckOf(t, "", "func f() { is."+form+"(done, 1, 1) }"), "a method")
		}
	}
	for address, call := range map[string]string{
		"127.0.0.1:6379": "127.0.0.1:6379", "localhost:80": "localhost:80", "[::1]:7000": "[::1]:7000", "0.0.0.0:1": "0.0.0.0:1",
		"redis://127.0.0.1:6379/0": "127.0.0.1:6379",
	} {
		require.Equal(t, []string{"f " + call}, luckOf(t, "", fmt.Sprintf("func f() { g(%q) }", address)))
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:", "[::1]:0", "0.0.0.0:x", ":6379", "10.0.0.1:6379"} {
		require.Empty(t, luckOf(t, "", fmt.Sprintf("func f() { g(%q) }", address)))
	}
	for _, name := range netCalls {
		require.Equal(t, []string{"f :6379"}, luckOf(t, "net", "func f() { net."+name+`("tcp", ":6379") }`))
		require.Equal(t, []string{"f 127.0.0.1:6379"}, luckOf(t, "net", "func f() { net."+name+`("tcp", "127.0.0.1:6379") }`))
		require.Empty(t, luckOf(t, "net", "func f() { net."+name+`("tcp", ":0") }`))
	}
}

func TestLuckNamesTheFunction(t *testing.T) {
	require.Equal(t, []string{"A.m time.Now", "B.m time.Now", "C.m time.Now", "f time.Since", "f time.Now"}, luckOf(t, "time", `
		func (a A) m() { time.Now() }
		func (b *B) m() { time.Now() }
		func (c C[T]) m() { time.Now() }
		func f() { func() { g(time.Since(time.Now())) }() }`))
}

// A bubble of synctest has a clock of its own, but no ports.
func TestLuckInBubbles(t *testing.T) {
	in := func(body string) []string {
		return luckOf(t, "time testing/synctest net", "func f() { synctest.Test(t, func(t *testing.T) { "+body+" }) }")
	}
	require.Empty(t, in("time.Sleep(1); is.Eventually(t, 1); c.SetDeadline(time.Now())"))
	require.Equal(t, []string{"f localhost:80", "f :81"}, in(`net.Dial("tcp", "localhost:80"); net.Dial("tcp", ":81")`))
	require.Equal(t, []string{"f time.Now"}, luckOf(t, "time testing/synctest", "func f() { synctest.Test(g(time.Now()), func() {}) }"))
	require.Equal(t, []string{"f time.Sleep"}, luckOf(t, "time testing/synctest",
		"func f() { synctest.Test(t, func() {}); time.Sleep(1) }"))
}
