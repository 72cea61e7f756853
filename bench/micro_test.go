package main

import "testing"

// TestTargetsAgree runs every chunk on the in-process players.
func TestTargetsAgree(t *testing.T) {
	ps, stop, err := players(true)
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	list, err := subjects("tables", "language", "strings")
	if err != nil {
		t.Fatal(err)
	}
	list = append(list, subject{"cjson, small", jsonChunk(smallDocument, 2)}, subject{"cjson, large", jsonChunk(largeDocument(), 2)})
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s.name] {
			t.Errorf("two chunks are named %q", s.name)
		}
		seen[s.name] = true
		if _, err := agree(ps, s.source); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

func TestTheDocumentsHaveTheirSizes(t *testing.T) {
	if n := len(smallDocument); n != 200 {
		t.Errorf("the small one has %d bytes", n)
	}
	if n := len(largeDocument()); n < 9_500 || n > 10_500 {
		t.Errorf("the large one has %d bytes", n)
	}
}
