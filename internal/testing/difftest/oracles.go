package difftest

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// oracles are the servers that can be asked about a version. Redict is a fork of Redis 7.2.4: the
// nearest to 7.2 that there is as a package.
var oracles = map[servers.Server]string{
	servers.Redis72:  "redict-7.3",
	servers.Redis80:  "redis-8.0",
	servers.Redis86:  "redis-8.6",
	servers.Valkey80: "valkey-8.0",
	servers.Valkey81: "valkey-8.1",
	servers.Valkey91: "valkey-9.1",
}

// StartOracleOf starts the oracle of any version; see [StartOracle]. The error wraps
// [ErrNoOracle] if there is none.
func StartOracleOf(s servers.Server) (*Oracle, error) {
	if s == servers.Redis70 {
		return StartOracle()
	}
	bin, err := redistest.Program(oracles[s])
	if err != nil {
		return nil, err
	}
	o, err := startOracle(bin)
	return o.of(s), err
}

// startClusterOf is [StartCluster] with the oracle of a version.
func startClusterOf(s servers.Server) (*Oracle, error) {
	bin, err := redistest.Program(oracles[s])
	if err != nil {
		return nil, err
	}
	o, err := startCluster(bin)
	return o.of(s), err
}

// of notes which version the oracle, which may be nil, is for.
func (o *Oracle) of(s servers.Server) *Oracle {
	if o != nil {
		o.renamed = s == servers.Redis72
	}
	return o
}

// asRedis is a reply of Redict as Redis would give it. The texts of bulk replies get their new
// lengths.
func asRedis(raw []byte) []byte {
	if !bytes.Contains(raw, []byte("edict")) {
		return raw
	}
	var out []byte
	for len(raw) > 0 {
		line, rest, ok := bytes.Cut(raw, []byte("\r\n"))
		n, err := strconv.Atoi(string(line[1:]))
		if mark := line[0]; !ok || mark != '$' && mark != '=' || err != nil || n < 0 || n+2 > len(rest) {
			out, raw = append(append(out, renamed(line)...), "\r\n"...), rest
			continue
		}
		text := renamed(rest[:n])
		out = append(fmt.Appendf(out, "%c%d\r\n", line[0], len(text)), text...)
		out, raw = append(out, "\r\n"...), rest[n+2:]
	}
	return out
}

func renamed(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("Redict"), []byte("Redis"))
	return bytes.ReplaceAll(text, []byte("redict"), []byte("redis"))
}

// redisConn is a connection to Redict whose replies are those of Redis.
type redisConn struct{ *NetConn }

func (c redisConn) Do(args []string) ([]byte, error) {
	raw, err := c.NetConn.Do(args)
	return asRedis(raw), err
}

func (c redisConn) Read() ([]byte, error) {
	raw, err := c.NetConn.Read()
	return asRedis(raw), err
}
