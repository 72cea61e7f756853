package replication

import "github.com/redmoon-lua/redmoon/internal/base/servers"

// fileMark is an offset of the master's stream, and the position of this server's append-only file
// after it; the zero value is none.
type fileMark struct{ offset, position int64 }

// noteFile informs the link up to which offset the disk has the stream in the append-only file, for
// the acknowledgments that WAITAOF waits for.
func (f *follower) noteFile() {
	st := f.st
	if f.session == nil || !st.srv.Follows.Has(servers.FileOffsets) {
		return
	}
	position, on := st.synced()
	if !on {
		f.mark = fileMark{}
		f.link.SetFileOffset(0)
		return
	}
	f.passMark(position)
	if f.mark.offset == 0 {
		f.mark = fileMark{st.offset, st.srv.Persistence.Position()}
		f.passMark(position)
	}
}

// passMark ends the mark if the disk has the file up to there.
func (f *follower) passMark(position int64) {
	if f.mark.offset > 0 && position >= f.mark.position {
		f.link.SetFileOffset(f.mark.offset)
		f.mark = fileMark{}
	}
}
