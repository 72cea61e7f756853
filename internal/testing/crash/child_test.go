package crash

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/resp"
)

// The environment of a child: the directory of its files, and the value of appendfsync ("": it has
// no append-only file).
const (
	envDir   = "REDMOON_CRASH_DIR"
	envFsync = "REDMOON_CRASH_FSYNC"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		if err := serve(dir, os.Getenv(envFsync)); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	redis.SetLogger(silent{})
	os.Exit(m.Run())
}

// serve is the child: it prints its address when the data set is loaded, and serves until it is
// killed or its standard input ends.
func serve(dir, fsync string) error {
	e, err := engine.New(engine.Options{Persistence: persist.New(persist.Options{Dir: dir, AppendOnly: fsync != "", AppendFsync: fsync}),
		Config: map[string]string{"auto-aof-rewrite-min-size": "256kb"}}) // so that it is rewritten under the load
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		obey(os.Stdin)
		os.Exit(0) // the test has ended
	}()
	fmt.Println(l.Addr())
	return resp.NewServer(e, resp.Options{}).Serve(l)
}

// child is a subject of this program.
type child struct {
	dir, fsync string
	cmd        *exec.Cmd
	in         io.WriteCloser
	out        *bufio.Reader
}

func (c *child) start(t *testing.T) string {
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), envDir+"="+c.dir, envFsync+"="+c.fsync)
	var err error
	c.in, err = c.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.cmd.Start())
	c.out = bufio.NewReader(out)
	line := readLine(t, c.out)
	require.NotContains(t, line, "error")
	return strings.TrimSpace(line)
}

// readLine returns the next line that a program prints.
func readLine(t *testing.T, out *bufio.Reader) string {
	t.Helper()
	lines := make(chan string, 1)
	go func() {
		line, _ := out.ReadString('\n')
		lines <- line
	}()
	line := patience.Receive(t, lines, "the program prints no line")
	require.NotEmpty(t, line, "the program has ended")
	return line
}

// limit is set where the size of files can be limited: no file of this process may grow past a
// number of bytes. -1 ends this.
var limit func(bytes int64) error

// obey does what the test writes to the child: sizes for limit. It answers each with a line.
func obey(in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		bytes, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err == nil {
			err = limit(bytes)
		}
		fmt.Println("limit:", err)
	}
}

// limit makes the disk of the child full for files of so many bytes.
func (c *child) limit(t *testing.T, bytes int64) {
	_, err := fmt.Fprintln(c.in, bytes)
	require.NoError(t, err)
	require.Equal(t, "limit: <nil>\n", readLine(t, c.out))
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // it was killed
	_ = c.in.Close()
}
