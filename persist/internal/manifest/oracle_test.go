package manifest_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
)

// cases are texts of manifests. The file a.aof exists.
var cases = []string{
	"", "\n", "#\n", "# only\n", "#", " \n", "file\n", "junk junk junk\n",
	"file a.aof seq 1 type i\n",
	"file a.aof seq 1 type i",
	"file a.aof seq 1 type i\r\n",
	" \tfile a.aof  seq 1\ttype i \n",
	"FILE a.aof SEQ 1x TYPE index\n",
	"type i seq 1 file a.aof\n",
	"file none seq 5 type z file a.aof seq 1 type i\n",
	"file a.aof seq 1 type i startoffset 0\n",
	"file a.aof seq 1 type i startoffset\n",
	"file a.aof seq 1 type i file\n",
	"seq 1 type i seq 1\n",
	"file a.aof file a.aof type i\n",
	"file a.aof seq 1 seq 1\n",
	"file x/a.aof seq 1 type i\n",
	"file \"x\\\\a.aof\" seq 1 type i\n",
	"file \"a.aof\" seq 1 type i\n",
	"file 'a.aof' seq 1 type i\n",
	"file \"a.aof seq 1 type i\n",
	"file \"a.aof\"x seq 1 type i\n",
	"file \"a.aof\\x00zzz\" seq 1 type i\n",
	"file a.aof seq 1 type \"\\x00\"\n",
	"file a.aof seq 1 type \"\"\n",
	"file a.aof seq 0 type i\n",
	"file a.aof seq x type i\n",
	"file a.aof seq \"\" type i\n",
	"file a.aof seq -1 type i\n",
	"file a.aof seq -1 type b\n",
	"file a.aof seq 99999999999999999999 type i\n",
	"file a.aof seq 1 type z\n",
	"file a.aof seq 1 type B\n",
	"file a.aof seq 1 type b\nfile a.aof seq 2 type b\n",
	"file a.aof seq 1 type i\nfile a.aof seq 1 type i\n",
	"file a.aof seq 2 type i\nfile a.aof seq 1 type i\n",
	"file a.aof seq 1 type i\nfile a.aof seq 3 type i\n",
	"file a.aof seq 1 type i\nfile a.aof seq 1 type b\n",
	"file a.aof seq 9 type h\nfile a.aof seq 1 type h\nfile a.aof seq 1 type i\n",
	"file a.aof seq 1 type i\n\n",
	"file a.aof seq 1 type i\n#",
	"file a.aof seq 1 type i\n \n",
	"# a\nfile a.aof seq 1 type i\n# b\n",
	" # a\nfile a.aof seq 1 type i\n",
	"file a.aof seq 1 type i x\x00y z\n",
	"file a.aof seq 1\v2 type i\n",
	"file a.aof seq 1 type i x " + strings.Repeat("y", 1024-27) + "\n",
	"file a.aof seq 1 type i x " + strings.Repeat("y", 1024-26) + "\n",
	"#" + strings.Repeat("y", 1023) + "file a.aof seq 1 type i\n",
	"#" + strings.Repeat("y", 1023) + "y\nfile a.aof seq 1 type i\n",
	"#" + strings.Repeat("y", 1023) + "\nfile a.aof seq 1 type i\n",
	"#" + strings.Repeat("y", 1023) + "#\nfile a.aof seq 1 type i\n",
}

// start starts redis-server on a manifest and returns what it logs until it serves or ends.
func start(t *testing.T, manifest string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "appendonlydir"), 0o700))
	for name, text := range map[string]string{"a.aof": "*1\r\n$4\r\nPING\r\n", "appendonly.aof.manifest": manifest} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "appendonlydir", name), []byte(text), 0o600))
	}
	bin, err := redistest.Find()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), bin, "--port", "0", "--unixsocket", "s", "--appendonly", "yes", "--save", "")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var log strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		log.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "ready to accept connections") {
			break
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return log.String()
}

func TestManifestsThatRedisRefuses(t *testing.T) {
	redistest.Need(t)
	for _, c := range cases {
		log := start(t, c)
		_, report, refused := strings.Cut(log, "*** FATAL AOF MANIFEST FILE ERROR ***")
		m, err := manifest.Parse([]byte(c))
		if !refused {
			require.Contains(t, log, "ready to accept connections", "%q", c)
			require.NoError(t, err, "%q", c)
			require.NotNil(t, m)
			continue
		}
		var e *manifest.Error
		require.ErrorAs(t, err, &e, "%q: %s", c, report)
		require.Contains(t, report, " "+e.Reason+"\n", "%q", c)
		if strings.Contains(report, "at line") {
			require.Contains(t, report, "at line "+strconv.Itoa(e.Line)+"\n", "%q", c)
			require.Contains(t, report, ">>> '"+e.Text+"'\n", "%q", c)
		} else {
			require.Empty(t, e.Text, "%q", c)
		}
	}
}

// Redis reads a manifest that is printed here, with names that need quotes.
func TestRedisReadsOurManifest(t *testing.T) {
	const name = `a "b" it's é`
	dir := t.TempDir()
	m := &manifest.Manifest{}
	_, err := m.AddIncr(name)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "aofs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "aofs", m.Incr[0].Name), []byte("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "aofs", name+".manifest"), m.Append(nil), 0o600))
	bin := redistest.NeedProgram(t, "redis-check-aof")
	out, err := exec.Command(bin, filepath.Join(dir, "aofs", name+".manifest")).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "All AOF files and manifest are valid")
}
