package process

import (
	"fmt"
	"log/slog"
)

// reservedFiles is how many files a server may have open besides its clients.
const reservedFiles = 32

// FilesForClients raises the limit of open files so that maxclients clients fit, and returns how
// many do. It logs what it could not do. 0 means that the limit is too low for any.
func FilesForClients(maxclients int64, log *slog.Logger) int64 {
	need := uint64(maxclients) + reservedFiles
	have, err := raiseFiles(need)
	if have >= need {
		return maxclients
	}
	if have <= reservedFiles {
		log.Warn(fmt.Sprintf("Your current 'ulimit -n' of %d is not enough for the server to start. Please increase your open file limit to "+
			"at least %d. Exiting.", have, need))
		return 0
	}
	log.Warn(fmt.Sprintf("You requested maxclients of %d requiring at least %d max file descriptors.", maxclients, need))
	log.Warn(fmt.Sprintf("Server can't set maximum open files to %d because of OS error: %s.", need, errno(err)))
	fit := int64(have - reservedFiles)
	log.Warn(fmt.Sprintf("Current maximum open files is %d. maxclients has been reduced to %d to compensate for low ulimit. If you need "+
		"higher maxclients increase 'ulimit -n'.", have, fit))
	return fit
}
