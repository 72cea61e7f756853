package miniredis

// Why tests of miniredis's own fail on minicompat.
const (
	asTexts   = "the text of an error is that of Redis, or another of several mistakes is reported"
	ofMissing = "Redis looks at the key before it looks at the rest of the arguments"
	inOrder   = "the order of elements and random choices are those of Redis: miniredis sorts, and has its own choices for a seed"
	ofPlaces  = "coordinates and distances have the digits of Redis, and elements its order"
	ofStreams = "approximate trimming keeps whole nodes, XINFO is complete, XREADGROUP makes consumers, deleted entries stay pending"
	ofHLLs    = "a HyperLogLog is a string, and its estimates are those of Redis"
	inDumps   = "DUMP and RESTORE use the format of Redis: miniredis copies the string"
	inInfo    = "INFO, HELLO and MEMORY USAGE answer as Redis"
	asFloats  = "floats have the digits of Redis 7.0"
	newer     = "DELEX is of Redis 8.4; HEXPIRE refuses a negative time"
	ofPush    = "a subscriber in RESP2 cannot send HELLO, so it does not change to RESP3"
	inLua     = "scripts have the globals and the commands that Redis allows"
	ofSlots   = "CLUSTER KEYSLOT computes the slot"
	whenEmpty = "Redis removes an empty set"
	inTime    = "EXPIRETIME moves with the time of day, in whole milliseconds"
)

// byChance are the reasons for which a test may also pass.
var byChance = []string{inOrder, ofHLLs, inTime}

// ownDiffers are the tests of miniredis's own that fail on minicompat, with the reason.
var ownDiffers = explained(map[string][]string{
	asTexts: {"TestAuth/another_user", "TestAuth/default_user",
		"TestEval", "TestEvalCall", "TestEvalRo/write_command",
		"TestEvalRoWriteCommandWithPcall/write_command_in_read-only_script", "TestEvalshaRo/write_script", "TestGeo/no_args",
		"TestHashIncrbyfloat", "TestHexpire/error_cases", "TestHsetex/error_cases", "TestLpop/errors", "TestLuaTX/compile",
		"TestMove/errors", "TestMset", "TestMsetnx", "TestPsetex", "TestPublish", "TestPublishMode", "TestRestore/parse_errors",
		"TestScan/errors", "TestScript", "TestScript/CJSON", "TestSet/EXAT", "TestSet/EX_PX", "TestSet/PXAT", "TestSetex",
		"TestSintercard/bad_limit", "TestSscan/errors", "TestStreamRead/error_cases", "TestStreamTrim/error_cases",
		"TestWait/errors", "TestWatch", "TestZinterstore/errors", "TestZscan/errors", "TestZunion/wrong_usage",
		"TestZunionstore/wrong_usage"},
	ofMissing: {"TestGeobymember/no_args", "TestHscan/errors", "TestStreamXpending/errors", "TestZscan/errors"},
	inOrder: {"TestGeosearch/ASC_DESC_COUNT", "TestHashGetall", "TestHashGetall/RESP3", "TestHashKeys", "TestHashValues",
		"TestHscan", "TestSadd", "TestScan/count", "TestScan/invalid_cursor", "TestScan/match", "TestScan/type",
		"TestSortedSetRandmember/negative_count", "TestSortedSetRandmember/no_count", "TestSortedSetRandmember/positive_count",
		"TestSpop/count_argument", "TestSrandmember", "TestSscan", "TestZscan"},
	ofPlaces: {"TestGeo/WITHCOORD", "TestGeo/WITHDIST", "TestGeo/WITHDIST_WITHCOORD", "TestGeobymember/WITHCOORD",
		"TestGeobymember/WITHDIST", "TestGeobymember/WITHDIST_WITHCOORD", "TestGeodist/no_unit", "TestGeopos/ok",
		"TestGeosearch/FROMLONLAT_BYRADIUS_WITHDIST_WITHCOORD"},
	ofStreams: {"TestStream", "TestStream/resp3", "TestStreamAck", "TestStreamAdd/XADD_MAXLEN", "TestStreamAdd/XADD_MINID",
		"TestStreamAutoClaim", "TestStreamClaim", "TestStreamDelete", "TestStreamGroup", "TestStreamGroup/errors",
		"TestStreamInfo", "TestStreamReadGroup", "TestStreamTrim"},
	ofHLLs: {"TestPfadd", "TestPfcount", "TestPfmerge", "TestPfmerge/direct"},
	inDumps: {"TestDumpCommand/dump_existing_key", "TestDumpCommand/dump_wrong_key_type", "TestRestore/overwrite_existing_key",
		"TestRestore/restore_new_key_with_absolute_ttl", "TestRestore/restore_new_key_with_no_ttl",
		"TestRestore/restore_new_key_with_regular_ttl"},
	inInfo: {"TestCmdServerMemoryUsage", "TestCmdServerMemoryUsageLowerCase", "TestHello/default_user",
		"TestHello/default_user/errors", "TestMiniredis_cmdInfo/Invalid_section_name",
		"TestMiniredis_cmdInfo/No_section_name_in_args", "TestMiniredis_cmdInfo/Success_for_clients_section",
		"TestMiniredis_cmdInfo/Success_for_stats_section"},
	asFloats:  {"TestHashIncrbyfloat/direct", "TestIncrbyfloat"},
	newer:     {"TestDelex", "TestHexpire/negative_TTL_for_immediate_expiration"},
	ofPush:    {"TestPsubscribe", "TestPsubscribe/RESP3", "TestSubscribe", "TestSubscribe/RESP3"},
	inLua:     {"TestScript/os."},
	ofSlots:   {"TestCluster/keyslot"},
	inTime:    {"TestExpireTime/#00", "TestPExpireTime/#00"},
	whenEmpty: {"TestSinterstore"},
})

// explained returns the reason of each test.
func explained(byReason map[string][]string) map[string]string {
	all := map[string]string{}
	for reason, names := range byReason {
		for _, name := range names {
			all[name] = reason
		}
	}
	return all
}
