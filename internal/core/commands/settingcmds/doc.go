// Package settingcmds implements CONFIG: the parameters, their file and the reset of the
// statistics.
package settingcmds
