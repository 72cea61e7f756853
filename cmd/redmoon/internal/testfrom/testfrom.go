package testfrom

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
)

// Limits of a test.
const (
	maxCalls = 20_000
	maxBytes = 64 << 20 // of arguments and replies
)

// Options say which test is made of a recording.
type Options struct {
	Recording string // path, for people and for the names of files
	Path      string // of the test file; "": the name of the recording with _test.lua
	Force     bool   // replace files that exist
	Replay    replay.Options
}

// Result says what has been made.
type Result struct {
	Path     string // of the test file
	Calls    int    // calls in the test
	Compared int    // calls whose reply is compared
	Report   *replay.Report
}

// Path returns the name of the test file of a recording.
func Path(recording string) string { return stem(recording) + "_test.lua" }

func stem(path string) string {
	path = strings.TrimSuffix(path, ".gz")
	return strings.TrimSuffix(path, filepath.Ext(path))
}

var errTooLong = fmt.Errorf("a test has at most %d calls and %d MiB; record a shorter session",
	maxCalls, maxBytes>>20)

// Write makes the test, with its scripts in a folder beside it.
func Write(ctx context.Context, src *recording.Reader, o Options) (*Result, error) {
	if o.Path == "" {
		o.Path = Path(o.Recording)
	}
	folder := strings.TrimSuffix(strings.TrimSuffix(o.Path, ".lua"), "_test") + "_scripts"
	for _, path := range []string{o.Path, folder} {
		if _, err := os.Lstat(path); err == nil && !o.Force {
			return nil, fmt.Errorf("%s exists; --force replaces it", path)
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var calls []*call
	bytes := 0
	o.Replay.Ran = func(r replay.Ran) {
		c := newCall(r)
		if c == nil {
			return
		}
		calls = append(calls, c)
		if bytes += c.size(); bytes > maxBytes || len(calls) > maxCalls {
			stop(errTooLong)
		}
	}
	report, err := replay.Run(ctx, src, o.Replay)
	if err != nil {
		if errors.Is(context.Cause(ctx), errTooLong) {
			return nil, errTooLong
		}
		return nil, err
	}
	if len(calls) == 0 {
		return nil, fmt.Errorf("%s has no commands that read or write keys", o.Recording)
	}
	s, err := rehearse(ctx, calls, &src.Header, o.Replay.Data)
	if err != nil {
		return nil, err
	}
	f := file{settings: s, calls: calls, header: &src.Header, folder: filepath.Base(folder)}
	f.recording = filepath.Base(o.Recording)
	if o.Replay.Data != "" {
		if f.data, err = filepath.Rel(filepath.Dir(o.Path), o.Replay.Data); err != nil {
			return nil, err
		}
	}
	text := f.text()
	if err := writeScripts(folder, f.scripts); err != nil {
		return nil, err
	}
	if err := files.Replace(o.Path, text); err != nil {
		return nil, err
	}
	return &Result{Path: o.Path, Calls: f.written, Compared: f.compared, Report: report}, nil
}

// writeScripts writes texts to files of a folder.
func writeScripts(folder string, scripts map[string]string) error {
	if len(scripts) == 0 {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		if err := files.Replace(filepath.Join(folder, name+".lua"), scripts[name]); err != nil {
			return err
		}
	}
	return nil
}
