package luacorpus

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// modules are the modules of Go that the package wild plays. scs has no scripts.
var modules = []string{
	"github.com/alexedwards/scs/goredisstore", "github.com/bsm/redislock", "github.com/go-redis/redis_rate/v10",
	"github.com/go-redsync/redsync/v4", "github.com/hibiken/asynq", "github.com/throttled/throttled/v2", "github.com/ulule/limiter/v3",
}

// npmPackages are the packages of npm that the package wild plays. connect-redis has no scripts.
var npmPackages = []string{
	"async-ratelimiter", "bee-queue", "bottleneck", "bull", "connect-redis", "node-resque", "rate-limit-redis", "rate-limiter-flexible",
	"redis-semaphore", "redlock", "rsmq",
}

// Published returns the scripts of the packages that the module in the folder wild plays. The error
// says which package is not there.
func Published(wild string) ([]Script, error) {
	var list []Script
	for _, m := range modules {
		out, err := moduleFolder(wild, m)
		if err != nil {
			return nil, err
		}
		found, err := inModule(m, out)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	for _, name := range npmPackages {
		found, err := inPackage(name, filepath.Join(wild, "npm", "node_modules", name))
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return distinct(list), nil
}

// moduleFolder returns where a module of Go is.
func moduleFolder(wild, module string) (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Dir = wild
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", module, err)
	}
	dir := strings.TrimSpace(string(out))
	if dir == "" {
		return "", fmt.Errorf("%s is not downloaded: run `go mod download` in %s", module, wild)
	}
	return dir, nil
}

// inModule returns the scripts of a module of Go, without its tests.
func inModule(module, dir string) ([]Script, error) {
	var list []Script
	err := walk(dir, func(name, text string) error {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		found, err := goLiterals(text)
		list = append(list, scripts(module, name, found)...)
		return err
	})
	return list, err
}

// inPackage returns the scripts of a package of npm, as the package sends them to Redis.
func inPackage(name, dir string) ([]Script, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("run `npm ci --ignore-scripts` in the folder npm: %w", err)
	}
	if name == "bottleneck" {
		return inBottleneck(dir)
	}
	var list []Script
	err := walk(dir, func(file, text string) error {
		switch {
		case name == "bull" && strings.HasPrefix(file, "lib/commands/"):
			// lib/scripts has them with what they include.
		case strings.HasSuffix(file, ".lua"):
			list = append(list, Script{Package: name, File: file, Line: 1, Source: text})
		case slices.Contains([]string{".js", ".cjs"}, path.Ext(file)):
			list = append(list, scripts(name, file, jsLiterals(text))...)
		}
		return nil
	})
	return list, err
}

var (
	bottleneckHeader   = regexp.MustCompile(`(?m)^  (\w+): lua\["`)
	bottleneckTemplate = regexp.MustCompile(`(?s)  (\w+): \{\n    keys: .*?headers: \[(.*?)\],\n    refresh_expiration: (\w+),\n` +
		`    code: lua\["(.*?)"\]`)
)

// inBottleneck joins the parts of the scripts of bottleneck as its lib/Scripts.js does.
func inBottleneck(dir string) ([]Script, error) {
	text, err := os.ReadFile(filepath.Join(dir, "lib/lua.json"))
	if err != nil {
		return nil, err
	}
	parts, err := decodeTexts(text)
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(filepath.Join(dir, "lib/Scripts.js"))
	if err != nil {
		return nil, err
	}
	var list []Script
	part := func(name, before string) {
		list = append(list, Script{Package: "bottleneck", File: "src/redis/" + name, Line: 1, Source: parts[name], Before: before, Part: true})
	}
	refs := parts["refs.lua"] + "\n"
	part("refs.lua", "")
	for _, m := range bottleneckHeader.FindAllSubmatch(program, -1) {
		if name := string(m[1]) + ".lua"; name != "refs.lua" {
			part(name, refs)
		}
	}
	for _, m := range bottleneckTemplate.FindAllSubmatch(program, -1) {
		before := refs
		for _, header := range strings.Split(string(m[2]), ",") {
			if header = strings.Trim(header, `" `); header != "" {
				before += parts[header+".lua"] + "\n"
			}
		}
		if string(m[3]) == "true" {
			before += parts["refresh_expiration.lua"]
		}
		name := string(m[4])
		list = append(list, Script{Package: "bottleneck", File: "src/redis/" + name, Line: 1, Source: parts[name], Before: before + "\n"})
	}
	if len(list) != 22 {
		return nil, fmt.Errorf("bottleneck has %d texts, not 22", len(list))
	}
	return list, nil
}
