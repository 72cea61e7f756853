package connectioncmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"client|capa":          clientCapa,
		"client|import-source": clientImportSource,
		"client|reply":         clientReply,
		"client|help":          clientHelp(),
		"client|no-evict":      clientNoEvict,
		"client|info":          clientInfo,
		"client|unblock":       clientUnblock,
		"client|setname":       clientSetName,
		"client|setinfo":       clientSetInfo,
		"client|no-touch":      clientNoTouch,
		"client|getname":       clientGetName,
		"client|id":            clientID,
		"client|caching":       clientCaching,
		"client|getredir":      clientGetRedir,
		"client|kill":          clientKill,
		"client|pause":         clientPause,
		"client|tracking":      clientTracking,
		"client|trackinginfo":  clientTrackingInfo,
		"client|unpause":       clientUnpause,
		"client|list":          clientList,
		"ping":                 ping,
		"echo":                 echo,
		"quit":                 quit,
		"reset":                reset,
		"select":               selectDB,
		"hello":                hello,
		"auth":                 auth,
		"monitor":              monitor,
	}
}
