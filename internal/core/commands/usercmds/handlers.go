package usercmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"acl|cat":     aclCat,
		"acl|deluser": aclDelUser,
		"acl|dryrun":  aclDryRun,
		"acl|genpass": aclGenPass,
		"acl|getuser": aclGetUser,
		"acl|help":    aclHelp(),
		"acl|list":    aclList,
		"acl|load":    aclLoad,
		"acl|log":     aclLog,
		"acl|save":    aclSave,
		"acl|setuser": aclSetUser,
		"acl|users":   aclUsers,
		"acl|whoami":  aclWhoAmI,
	}
}
