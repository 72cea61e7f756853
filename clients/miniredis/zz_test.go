package miniredis
import ("testing";"os";"strings";"slices")
func TestZZ(t *testing.T){
	src := &sources{t:t, dir: "/tmp/rmt-own"}
	os.RemoveAll(src.dir); os.MkdirAll(src.dir, 0o755)
	src.copyModule(theirPath, func(path, text string) (string, bool) {
		switch {
		case strings.Contains(path, "/"):
			return text, true
		case slices.Contains(internalTests, path):
			return "", false
		case path == "miniredis.go":
			return shim, true
		case path == "redis.go" || path == "cmd_string.go":
			return onlyHelpers(t, text), true
		case !strings.HasSuffix(path, "_test.go"):
			return "", false
		}
		for pattern, by := range adapted {
			text = pattern.ReplaceAllString(text, by)
		}
		return without(t, text, internalFunctions), true
	})
	src.modfile()
}
