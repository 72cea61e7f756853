package luacorpus

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

// Marks are the scripts that a person has seen in the programs of packages.
type Marks struct {
	rows map[string]bool // the rows of the table, those of other places without the reason
}

// ReadMarks reads a table with tabs between the cells. A row "PACKAGE FILE script LINE NAME" is a
// script, whose first quote is in that line. A row "PACKAGE FILE outside NUMBER REASON" says that
// the words of scripts stand so often in other places of the file, and where. Comments begin with
// #.
func ReadMarks(path string) (*Marks, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &Marks{rows: map[string]bool{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		cells := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(cells[0], "#") {
			continue
		}
		if len(cells) != 5 || cells[2] != "script" && cells[2] != "outside" || cells[4] == "" {
			return nil, fmt.Errorf("%s:%d: a mark has five cells, the third script or outside", path, n)
		}
		if _, err := strconv.Atoi(cells[3]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		row := strings.Join(cells[:4], "\t")
		if cells[2] == "script" {
			row += "\t" + cells[4]
		}
		m.rows[row] = true
	}
	return m, lines.Err()
}

// wordsOfScripts finds what stands in scripts and hardly anywhere else.
var wordsOfScripts = regexp.MustCompile(`\b(redis\.p?call|KEYS|ARGV)\s*[\[(]|#(KEYS|ARGV)\b`)

// Found is what package embedded finds in a package, beside the marks.
type Found struct {
	Package                        string
	Files, Scripts, Missed, Falses int
	Differ                         []string          // rows with - (missed, gone) or + (not marked)
	Texts                          map[string]string // the texts of scripts, and their names
	List                           []embedded.Script
}

// Folders returns the folders of the packages that the module in the folder wild plays.
func Folders(wild string) (map[string]string, error) {
	list := map[string]string{}
	for _, m := range append(slices.Clone(modules), "github.com/redis/go-redis/v9") {
		dir, err := moduleFolder(wild, m)
		if err != nil {
			return nil, err
		}
		list[m] = dir
	}
	for _, name := range append(slices.Clone(npmPackages), "ioredis") {
		dir := filepath.Join(wild, "npm", "node_modules", name)
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("run `npm ci --ignore-scripts` in the folder npm: %w", err)
		}
		list[name] = dir
	}
	return list, nil
}

// Find finds the scripts of the programs of a package, and compares them with the marks.
func (m *Marks) Find(name, dir string) (*Found, error) {
	f := &Found{Package: name, Texts: map[string]string{}}
	rows := map[string]bool{}
	err := walk(dir, func(file, text string) error {
		if !embedded.Knows(file) {
			return nil
		}
		f.Files++
		list, err := embedded.Find(file, text, embedded.Rules())
		if err != nil {
			return err
		}
		for i := range list {
			s := &list[i]
			f.Scripts++
			f.List = append(f.List, *s)
			f.Texts[s.Text] = s.Name
			line, _ := s.Line(s.From)
			rows[fmt.Sprintf("%s\t%s\tscript\t%d\t%s", name, file, line, s.Name[len(file)+1:])] = true
		}
		if n := outside(text, list); n > 0 {
			rows[fmt.Sprintf("%s\t%s\toutside\t%d", name, file, n)] = true
		}
		return nil
	})
	for row := range m.rows {
		if strings.HasPrefix(row, name+"\t") && !rows[row] {
			f.Differ = append(f.Differ, "- "+row)
			f.Missed++
		}
	}
	for row := range rows {
		if !m.rows[row] {
			f.Differ = append(f.Differ, "+ "+row)
			f.Falses++
		}
	}
	slices.Sort(f.Differ)
	return f, err
}

// outside counts the words of scripts that are not in one of the scripts.
func outside(text string, list []embedded.Script) (n int) {
	for _, m := range wordsOfScripts.FindAllStringIndex(text, -1) {
		in := slices.ContainsFunc(list, func(s embedded.Script) bool { return s.From <= m[0] && m[0] < s.To })
		if !in {
			n++
		}
	}
	return n
}
