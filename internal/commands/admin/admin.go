package admin

import "github.com/redmoon-lua/redmoon/internal/cmdtable"

// Rows declares LOLWUT, TIME, COMMAND and INFO. The other commands have functions of their own,
// since COMMAND lists those of other packages in between.
func Rows() []*cmdtable.Spec {
	return []*cmdtable.Spec{lolwutRow(), timeRow(), commandRow(), infoRow()}
}
