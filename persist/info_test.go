package persist_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
)

// atRest is what redis-server 7.0.15 says with appendonly yes, in an empty directory.
const atRest = `# Persistence
loading:0
async_loading:0
current_cow_peak:0
current_cow_size:0
current_cow_size_age:0
current_fork_perc:0.00
current_save_keys_processed:0
current_save_keys_total:0
rdb_changes_since_last_save:0
rdb_bgsave_in_progress:0
rdb_last_save_time:T
rdb_last_bgsave_status:ok
rdb_last_bgsave_time_sec:-1
rdb_current_bgsave_time_sec:-1
rdb_saves:0
rdb_last_cow_size:0
rdb_last_load_keys_expired:0
rdb_last_load_keys_loaded:0
aof_enabled:1
aof_rewrite_in_progress:0
aof_rewrite_scheduled:0
aof_last_rewrite_time_sec:-1
aof_current_rewrite_time_sec:-1
aof_last_bgrewrite_status:ok
aof_rewrites:0
aof_rewrites_consecutive_failures:0
aof_last_write_status:ok
aof_last_cow_size:0
module_fork_in_progress:0
module_fork_last_cow_size:0
aof_current_size:0
aof_base_size:0
aof_pending_rewrite:0
aof_buffer_length:0
aof_pending_bio_fsync:0
aof_delayed_fsync:0
`

func TestInfoAtRest(t *testing.T) {
	e := start(t, persist.Options{Dir: t.TempDir(), AppendOnly: true})
	text := strings.ReplaceAll(do(t, e, "INFO persistence"), "\r\n", "\n")
	text = regexp.MustCompile(`(rdb_last_save_time:)\d+`).ReplaceAllString(text, "${1}T")
	require.Equal(t, atRest, text)
}

// The keys of the base of an append-only file count as loaded, as in Redis.
func TestInfoCountsTheKeysOfTheBase(t *testing.T) {
	dir := t.TempDir()
	e := start(t, persist.Options{Dir: dir, AppendOnly: true})
	for _, key := range []string{"a", "b", "c"} {
		do(t, e, "SET "+key+" 1")
	}
	do(t, e, "BGREWRITEAOF")
	patience.Until(t, func() bool {
		text := do(t, e, "INFO persistence")
		return strings.Contains(text, "aof_rewrite_in_progress:0") && strings.Contains(text, "aof_rewrites:1")
	}, "the rewrite ends")
	do(t, e, "SET d 1")
	require.NoError(t, e.Close())
	e = start(t, persist.Options{Dir: dir, AppendOnly: true})
	require.Contains(t, do(t, e, "INFO persistence"), "rdb_last_load_keys_loaded:3\r\n")
	require.Equal(t, "4", do(t, e, "DBSIZE"))
}

// A background save or rewrite counts as a fork, and RESETSTAT forgets it, as in Redis.
func TestInfoCountsForks(t *testing.T) {
	e := start(t, persist.Options{Dir: t.TempDir()})
	forks := func() string {
		return strings.Join(regexp.MustCompile(`(?:latest_fork_usec|total_forks):\d+`).FindAllString(do(t, e, "INFO stats"), -1), " ")
	}
	require.Equal(t, "latest_fork_usec:0 total_forks:0", forks())
	do(t, e, "BGSAVE")
	require.Regexp(t, `^latest_fork_usec:[1-9]\d* total_forks:1$`, forks())
	patience.Until(t, func() bool {
		return strings.Contains(do(t, e, "INFO persistence"), "rdb_bgsave_in_progress:0")
	}, "the save ends")
	do(t, e, "BGREWRITEAOF")
	require.Regexp(t, `^latest_fork_usec:[1-9]\d* total_forks:2$`, forks())
	do(t, e, "CONFIG RESETSTAT")
	require.Equal(t, "latest_fork_usec:0 total_forks:0", forks())
}
