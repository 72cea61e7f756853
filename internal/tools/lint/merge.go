package lint

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Merge returns the findings of each file, by its path. found has the findings of each script;
// scripts may share files. A finding in a shared file counts if one script has it, and then names
// the script if others do not have it; one that says that nothing uses something counts if all have
// it. Repairs in shared files are OneByOne. Of a script that does not compile, only that counts.
func Merge(scripts []Script, found [][]Finding) map[string][]Finding {
	users := map[string]int{} // by file: the scripts that have it and compile
	for i, s := range scripts {
		if !broken(found[i]) {
			for _, name := range fileNames(s) {
				users[name]++
			}
		}
	}
	type key struct {
		file, rule, message string
		from, to            int
	}
	type shared struct {
		Finding
		scripts []string
	}
	all := map[key]*shared{}
	var order []*shared
	for i, s := range scripts {
		own := fileNames(s)[0]
		for _, f := range found[i] {
			k := key{f.File, f.Rule, f.Message, f.Range.From, f.Range.To}
			if all[k] == nil {
				all[k] = &shared{Finding: f}
				order = append(order, all[k])
			}
			if !slices.Contains(all[k].scripts, own) {
				all[k].scripts = append(all[k].scripts, own)
			}
		}
	}
	merged := map[string][]Finding{}
	for _, x := range order {
		f, n := x.Finding, users[x.File]
		missing := len(x.scripts) < n
		if missing && ofAll(f.Rule) {
			continue
		}
		if missing && x.scripts[0] != f.File {
			f.Message += " (" + nameScripts(x.scripts) + ")"
		}
		if f.Fix != nil && n > 1 {
			fix := *f.Fix
			fix.OneByOne = true
			f.Fix = &fix
		}
		merged[f.File] = append(merged[f.File], f)
	}
	for name, list := range merged {
		slices.SortStableFunc(list, func(a, b Finding) int { return a.Range.From - b.Range.From })
		merged[name] = list[:min(len(list), MaxFindings)]
	}
	return merged
}

// ofAll reports whether a rule is about what nothing does, so that each script with the file must
// have the finding.
func ofAll(rule string) bool {
	return slices.Contains([]string{"unused-local", "unreachable-code", badDirective.ID, badInclude.ID}, rule)
}

// broken reports whether the script with these findings does not compile.
func broken(found []Finding) bool {
	return len(found) == 1 && (found[0].Rule == syntaxError.ID || found[0].Rule == tooLong.ID)
}

// fileNames returns the names of the files of a script, each once, its own first.
func fileNames(s Script) []string {
	if s.Files == nil {
		return []string{""}
	}
	var names []string
	for _, name := range s.Files.Files {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nameScripts names the scripts in which something is found.
func nameScripts(paths []string) string {
	text := "in " + filepath.Base(paths[0])
	if len(paths) > 1 {
		text += fmt.Sprintf(" and %d more", len(paths)-1)
	}
	return text
}
