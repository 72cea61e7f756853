package luatext

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
)

// GlobalNames returns the names of the globals that scripts can read, in the order of Redis
// 7.0. In the text of a function library KEYS and ARGV do not exist.
func GlobalNames() []string { return names.Globals(servers.Redis70) }

// LibraryFields returns the names of the fields of a library, such as "string", in its order;
// nil if there is no such library. While the text of a function library is loaded, the library
// redis also has register_function, and lacks others.
func LibraryFields(library string) []string {
	if !slices.Contains(GlobalNames(), library) {
		return nil
	}
	return names.Fields(library, servers.Redis70)
}
