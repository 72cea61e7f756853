package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// adminRows declares LOLWUT, TIME, COMMAND and INFO. The other commands have functions of their
// own, since COMMAND lists those of other packages in between.
func adminRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{lolwutRow(), timeRow(), commandRow(), infoRow()}
}
