package clustercmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"asking":                        inCluster(asking),
		"readonly":                      inCluster(readOnly),
		"readwrite":                     inCluster(readWrite),
		"clusterscan":                   inCluster(clusterScan),
		"trimslots":                     inCluster(trimSlots),
		"cluster|addslots":              inCluster(clusterAddSlots),
		"cluster|addslotsrange":         inCluster(clusterAddSlotsRange),
		"cluster|bumpepoch":             inCluster(clusterBumpEpoch),
		"cluster|cancelslotmigrations":  inCluster(cancelMigrations),
		"cluster|count-failure-reports": inCluster(clusterCountFailureReports),
		"cluster|countkeysinslot":       inCluster(clusterCountKeysInSlot),
		"cluster|delslots":              inCluster(clusterDelSlots),
		"cluster|delslotsrange":         inCluster(clusterDelSlotsRange),
		"cluster|failover":              inCluster(clusterFailover),
		"cluster|flushslot":             inCluster(flushSlot),
		"cluster|flushslots":            inCluster(clusterFlushSlots),
		"cluster|forget":                inCluster(clusterForget),
		"cluster|getkeysinslot":         inCluster(clusterGetKeysInSlot),
		"cluster|getslotmigrations":     inCluster(listMigrations),
		"cluster|help":                  clusterHelp(),
		"cluster|info":                  inCluster(clusterInfo),
		"cluster|keyslot":               inCluster(clusterKeySlot),
		"cluster|links":                 inCluster(clusterLinks),
		"cluster|meet":                  inCluster(clusterMeet),
		"cluster|migrateslots":          inCluster(migrateSlots),
		"cluster|migration":             inCluster(migration),
		"cluster|myid":                  inCluster(clusterMyID),
		"cluster|myshardid":             inCluster(clusterMyShardID),
		"cluster|slot-stats":            inCluster(clusterSlotStats),
		"cluster|nodes":                 inCluster(clusterNodes),
		"cluster|replicas":              inCluster(clusterReplicas),
		"cluster|replicate":             inCluster(clusterReplicate),
		"cluster|reset":                 inCluster(clusterReset),
		"cluster|saveconfig":            inCluster(func(*server.Ctx) reply.Value { return reply.Err(errtext.NoFiles) }),
		"cluster|set-config-epoch":      inCluster(clusterSetConfigEpoch),
		"cluster|setslot":               inCluster(clusterSetSlot),
		"cluster|shards":                inCluster(clusterShards),
		"cluster|slaves":                inCluster(clusterReplicas),
		"cluster|syncslots":             inCluster(syncSlots),
		"cluster|slots":                 inCluster(clusterSlots),
	}
}
