package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: termsvg TAPE SVG")
		os.Exit(2)
	}
	if err := record(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "termsvg:", err)
		os.Exit(1)
	}
}

func record(tapeFile, svgFile string) error {
	content, err := os.ReadFile(tapeFile)
	if err != nil {
		return err
	}
	t, err := parse(string(content))
	if err != nil {
		return fmt.Errorf("%s: %w", tapeFile, err)
	}
	dir, err := os.MkdirTemp("", "termsvg")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "redmoon"), "./cmd/redmoon")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	home := filepath.Join(dir, "home")
	for name, text := range t.files {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	frames, err := play(t, bin, home)
	if err != nil {
		return err
	}
	return os.WriteFile(svgFile, []byte(draw(t, frames)), 0o644)
}
