package coverage

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// version is that of the format, in each object.
const version = 1

// record is the object of one script. Its source is left out after the first object of a process.
type record struct {
	Version int `json:"redmoonCoverage"`
	luabridge.ScriptCoverage
	Bytes []byte `json:"sourceBytes,omitempty"` // in place of the source if that is not UTF-8
}

// Write writes scripts in the form of coverage files.
func Write(w io.Writer, scripts []luabridge.ScriptCoverage) error {
	text, err := encode(scripts)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func encode(scripts []luabridge.ScriptCoverage) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, s := range scripts {
		r := record{Version: version, ScriptCoverage: s}
		if !utf8.ValidString(s.Source) {
			r.Source, r.Bytes = "", []byte(s.Source)
		}
		if err := enc.Encode(r); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// Append appends scripts to the file at path, and creates it if it does not exist. Several
// processes may do so at the same time.
func Append(path string, scripts []luabridge.ScriptCoverage) error {
	text, err := encode(scripts)
	if err != nil || len(text) == 0 {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	lock(f)
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// longestLine limits the length of a line of a coverage file: scripts have at most 512 MB.
const longestLine = 1<<31 - 1

// Read reads coverage files, one after the other. name is for errors. The result has one entry for
// each script, sorted by name and SHA1.
func Read(name string, r io.Reader) ([]luabridge.ScriptCoverage, error) {
	var set Set
	if err := set.Read(name, r); err != nil {
		return nil, err
	}
	return set.Scripts(), nil
}

// Set adds up scripts. The zero value is empty.
type Set struct {
	bySHA map[string]*luabridge.ScriptCoverage
}

// Read adds what a coverage file holds. name is for errors.
func (s *Set) Read(name string, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		rec, err := decode(lines.Bytes())
		if err == nil {
			err = s.Add(rec)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// ReadFile adds what the coverage file at path holds.
func (s *Set) ReadFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.Read(path, f)
}

func decode(line []byte) (*luabridge.ScriptCoverage, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, fmt.Errorf("this is not a line of a coverage file: %w", err)
	}
	if r.Version != version {
		return nil, fmt.Errorf("this is not a line of a coverage file of version %d: redmoonCoverage is %d", version, r.Version)
	}
	if r.Bytes != nil {
		r.Source = string(r.Bytes)
	}
	if r.Source != "" {
		if sum := sha1.Sum([]byte(r.Source)); hex.EncodeToString(sum[:]) != r.SHA {
			return nil, fmt.Errorf("the source does not have the SHA1 %q", r.SHA)
		}
	}
	return &r.ScriptCoverage, nil
}

// Add adds one script.
func (s *Set) Add(c *luabridge.ScriptCoverage) error {
	have := s.bySHA[c.SHA]
	if have != nil {
		return have.Add(c)
	}
	if s.bySHA == nil {
		s.bySHA = map[string]*luabridge.ScriptCoverage{}
	}
	own := *c
	own.Lines, own.Branches, own.Functions = slices.Clone(c.Lines), slices.Clone(c.Branches), slices.Clone(c.Functions)
	s.bySHA[c.SHA] = &own
	return nil
}

// Scripts returns the sums, sorted by name and SHA1.
func (s *Set) Scripts() []luabridge.ScriptCoverage {
	out := make([]luabridge.ScriptCoverage, 0, len(s.bySHA))
	for _, c := range s.bySHA {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b luabridge.ScriptCoverage) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.SHA, b.SHA)
	})
	return out
}
