package luabridge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected orders were read off valkey-server 8.1 and 9.1, which agree.
func TestTablesOfLaterValkeyHaveOtherOrders(t *testing.T) {
	const keys = "local r={} for k,v in pairs(t) do r[#r+1]=v end return table.concat(r,',')"
	for code, want := range map[string]string{
		"local t={} for i=1,20 do t['k'..i]=i end ":                              "3,18,6,1,20,19,9,7,17,15,16,14,2,10,11,5,8,4,12,13",
		"local t={} local s='' for i=1,20 do s=s..string.char(96+i) t[s]=i end ": "18,12,15,9,1,7,14,6,16,5,4,17,13,11,2,8,20,10,3,19",
		"local t={} for i=1,20 do t['\\255key'..i]=i end for i=1,20,3 do t['\\255key'..i]=nil end " +
			"for i=21,40 do t['\\255key'..i]=i end " +
			"for i=1,5 do t[i]=i+100 end ": "17,102,27,104,105,12,2,14,29,24,25,22,9,28,37,33," +
			"36,31,21,8,39,5,23,103,30,6,40,11,3,26,38,15,20,35,101,18,32,34",
	} {
		for server, same := range map[string]bool{"redis-7.0": false, "valkey-8.0": false, "valkey-8.1": true, "valkey-9.1": true} {
			vm := New(Options{Server: server})
			s, err := vm.Compile(code + keys)
			require.NoError(t, err)
			got := vm.Run(benchHost{}, s, nil, nil).Text()
			if same {
				require.Equal(t, want, got, server)
			} else {
				require.NotEqual(t, want, got, server)
			}
			vm.Close()
		}
	}
}
