package luacorpus

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/project"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/redmoon-lua/redmoon/internal/testing/seeds"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// The packages of the scripts of this repository.
const (
	Ready     = "scripts"      // the ready scripts
	Documents = "docs"         // in documents and in examples
	LuaFiles  = "lua files"    // for tests of the compiler and the debugger
	CaseFiles = "case files"   // in case files
	GoFiles   = "go files"     // in Go files, most of them tests
	Seeds     = "shared/seeds" // published scripts, which the repository does not contain
)

// longest is how long files are that are searched for scripts.
const longest = 4 << 20

// Repository returns the scripts of this repository. Scripts of one line in tests are probes of one
// behaviour and are left out.
func Repository() ([]Script, error) {
	root := difftest.Root()
	var list []Script
	err := walk(root, func(name, text string) error {
		found, err := inRepository(root, name, text)
		list = append(list, found...)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"coupon_claim.lua", "hongbao_grab.lua", "lock_release.lua", "redpacket_rain.lua"} {
		if text, err := seeds.Read(name); err == nil {
			list = append(list, Script{Package: Seeds, File: name, Line: 1, Source: text})
		}
	}
	return distinct(list), nil
}

// walk visits the files below a folder. name is relative to it, with slashes.
func walk(root string, visit func(name, text string) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(base, ".") || base == "node_modules" || base == "fuzz") {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > longest {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(name), string(text))
	})
}

// inRepository returns the scripts of one file of the repository.
func inRepository(root, name, text string) ([]Script, error) {
	switch {
	case strings.HasPrefix(name, "bench/"), luatest.IsTest(name):
		return nil, nil // texts that a program cuts into pieces, and tests
	case strings.HasPrefix(name, "scripts/") && strings.HasSuffix(name, ".lua"):
		return ready(root, name, text)
	case strings.HasSuffix(name, ".lua"):
		return []Script{{Package: LuaFiles, File: name, Line: 1, Source: text}}, nil
	case strings.HasSuffix(name, ".md"):
		if name == "docs/lint.md" {
			return nil, nil // examples of mistakes, which tests check
		}
		return fences(Documents, name, text), nil
	case strings.HasSuffix(name, ".rdt"):
		return inCaseFile(root, name)
	case strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "internal/tools/lint/"):
		found, err := goLiterals(text)
		list := slices.DeleteFunc(manyLines(scripts(GoFiles, name, found)), func(s Script) bool { return !compiles(s.Source) })
		if strings.Contains(name, "redis8") {
			for i := range list {
				list[i].Redis = "8.0"
			}
		}
		return list, err
	}
	return nil, nil
}

// ready returns a ready script with what stands in front of it by the configuration of the linter.
func ready(root, name, text string) ([]Script, error) {
	c, err := project.At(filepath.Join(root, "scripts"), project.ReadFile)
	if err != nil {
		return nil, err
	}
	relative := strings.TrimPrefix(name, "scripts/")
	s := Script{Package: Ready, File: name, Line: 1, Source: text, Part: c.Part(relative)}
	for _, before := range c.Joined(relative).Before {
		part, err := os.ReadFile(filepath.Join(root, "scripts", filepath.FromSlash(before)))
		if err != nil {
			return nil, err
		}
		s.Before += string(part)
	}
	return []Script{s}, nil
}

// fences returns the scripts of a Markdown document.
func fences(pkg, name, text string) []Script {
	var list []Script
	begin, inside := 0, false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case !inside && strings.TrimSpace(line) == "```lua":
			begin, inside = i+1, true
		case inside && strings.TrimSpace(line) == "```":
			inside = false
			if text := strings.Join(lines[begin:i], "\n"); isScript(text) {
				list = append(list, Script{Package: pkg, File: name, Line: begin + 1, Source: text})
			}
		}
	}
	return list
}

// inCaseFile returns the scripts that a case file runs or loads.
func inCaseFile(root, name string) ([]Script, error) {
	f, err := difftest.ParseFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	var list []Script
	for _, s := range f.Steps {
		text := scriptOf(s.Args)
		if !strings.Contains(text, "\n") || strings.Contains(text, "\x00seed:") {
			continue
		}
		list = append(list, Script{Package: CaseFiles, File: name, Line: s.Line, Redis: redisOf(f), Source: text})
	}
	return list, nil
}

func redisOf(f *difftest.File) string {
	if f.Compat() != "" {
		return "8.0"
	}
	return ""
}

// scriptOf returns the script of a command, or "".
func scriptOf(args []string) string {
	at := 0
	switch {
	case len(args) < 2:
	case strings.EqualFold(args[0], "EVAL"), strings.EqualFold(args[0], "EVAL_RO"):
		at = 1
	case strings.EqualFold(args[0], "SCRIPT") && strings.EqualFold(args[1], "LOAD"),
		strings.EqualFold(args[0], "FUNCTION") && strings.EqualFold(args[1], "LOAD"):
		at = len(args) - 1
	}
	if at == 0 {
		return ""
	}
	return args[at]
}

// scripts returns the literals that are scripts.
func scripts(pkg, name string, found []literal) []Script {
	var list []Script
	for _, l := range found {
		if isScript(l.text) {
			list = append(list, Script{Package: pkg, File: name, Line: l.line, Source: l.text})
		}
	}
	return list
}

// compiles reports whether a text is Lua. Tests also have dialogues and messages that mention
// calls.
func compiles(text string) bool {
	_, err := luatree.Parse(text)
	return err == nil
}

// manyLines drops the scripts that have one line.
func manyLines(list []Script) []Script {
	var kept []Script
	for _, s := range list {
		if strings.Contains(strings.TrimSpace(s.Source), "\n") {
			kept = append(kept, s)
		}
	}
	return kept
}

// decodeTexts reads a JSON object of texts.
func decodeTexts(text []byte) (map[string]string, error) {
	m := map[string]string{}
	return m, json.Unmarshal(text, &m)
}
