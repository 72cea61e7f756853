package server

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
)

// ImagePurpose is what an image of the keyspace is for.
type ImagePurpose uint8

// The purposes.
const (
	ImageForDump     ImagePurpose = iota + 1 // BGSAVE
	ImageForRewrite                          // BGREWRITEAOF
	ImageForReplicas                         // a full resynchronization
)

// ImageJob describes an image that is to be written while commands go on.
type ImageJob struct {
	Purpose ImagePurpose
	Options datastore.FileOptions
	// Out gets the image on the loop, in chunks of about 64 KiB. It should not block and must not keep
	// the slice.
	Out io.Writer
	// Wait reports whether no more should be written now, because the receiver is slow. When it is
	// over, [Control.ContinueImage] must be called. A command that changes a large key writes to Out
	// all the same. Optional.
	Wait func() bool
	// Done is called on the loop when the image is written, or with the reason why it is not. The job
	// then is still the running one: what remains to be done, such as flushing a file, ends with
	// [RunningImage.Release].
	Done func(err error)
}

// RunningImage is a job that has begun and has not been released.
type RunningImage struct {
	Purpose ImagePurpose
	Started time.Time // by the machine's clock

	s       *Server
	job     ImageJob
	image   *datastore.Image
	written bool // Done has been called

	restUntil time.Time // rdb-key-save-delay: nothing is written before
	complete  bool      // the image is complete, and ends then
}

// images is the state of images. At most one job runs.
type images struct {
	running *RunningImage
	waiting []func()
}

// ImageCounts count the beginnings of images, which INFO shows as forks.
type ImageCounts struct {
	Begun int64
	Took  time.Duration // to begin the last one
}

var (
	// ErrImageRunning is returned by [Control.StartImage] if another job runs.
	ErrImageRunning = errors.New("another image of the keyspace is being written")
	// ErrImageAborted is passed to Done by [RunningImage.Abort].
	ErrImageAborted = errors.New("the image was aborted")
)

// imageLook is the longest time between two looks at an image that rests.
const imageLook = 10 * time.Millisecond

// imageSlice bounds one step of an image.
const (
	imageSlice      = 500 * time.Microsecond
	imageSliceBytes = 1 << 20
)

// StartImage begins a job. The image shows the keyspace as it is now. The error is
// [ErrImageRunning], or datastore.ErrRecording while a script is being debugged.
func (s Control) StartImage(job ImageJob) (*RunningImage, error) {
	if s.images.running != nil {
		return nil, ErrImageRunning
	}
	r := &RunningImage{Purpose: job.Purpose, Started: time.Now(), s: s.base, job: job}
	img, err := s.Store.BeginImage(job.Out, job.Options)
	if err != nil {
		return nil, err
	}
	r.image = img
	s.images.running = r
	s.Stats.Images.Begun++
	s.Stats.Images.Took = time.Since(r.Started)
	s.ContinueImage()
	return r, nil
}

// RunningImage returns the job that has not been released; nil if there is none.
func (d Control) RunningImage() *RunningImage { return d.images.running }

// RunningImageFor returns the running job if it has the purpose, else nil.
func (d Control) RunningImageFor(p ImagePurpose) *RunningImage {
	if r := d.images.running; r != nil && r.Purpose == p {
		return r
	}
	return nil
}

// AfterImage calls f on the loop when no job runs: immediately, or when the running one is
// released. f may start a job; then the functions behind it wait for that one.
func (d Control) AfterImage(f func()) {
	d.images.waiting = append(d.images.waiting, f)
	d.images.next()
}

// next calls what waits for the end of a job.
func (im *images) next() {
	for im.running == nil && len(im.waiting) > 0 {
		f := im.waiting[0]
		im.waiting = slices.Delete(im.waiting, 0, 1)
		f()
	}
}

// ContinueImage makes the engine step the running job until it waits or is written. It may be
// called from any goroutine.
func (s Control) ContinueImage() {
	s.Owner.StepImageSoon()
}

// StepImage writes a part of the running job, for at most about half a millisecond. more is false
// if nothing can be written until [Control.ContinueImage] is called; else the next step should come
// after the time rest.
func (s Control) StepImage() (more bool, rest time.Duration) {
	r := s.images.running
	if r == nil || r.written {
		return false, 0
	}
	if r.job.Wait != nil && r.job.Wait() {
		return false, 0
	}
	delay := time.Duration(s.Config.Int("rdb-key-save-delay")) * time.Microsecond
	if rest := time.Until(r.restUntil); delay > 0 && rest > 0 {
		return true, min(rest, imageLook)
	}
	if r.complete {
		r.end(nil)
		return false, 0
	}
	before, _ := r.image.Keys()
	until := time.Now().Add(imageSlice)
	done, err := r.image.Step(imageSliceBytes, func() bool { return delay > 0 || time.Now().After(until) })
	if done && err == nil && delay > 0 {
		after, _ := r.image.Keys()
		r.complete, r.restUntil = true, time.Now().Add(time.Duration(after-before)*delay)
		return true, 0
	}
	if done || err != nil {
		r.end(err)
		return false, 0
	}
	if delay > 0 {
		after, _ := r.image.Keys()
		r.restUntil = time.Now().Add(time.Duration(after-before) * delay)
	}
	return true, 0
}

func (r *RunningImage) end(err error) {
	if r.written {
		return
	}
	r.written = true
	r.image.Close()
	if r.job.Done != nil {
		r.job.Done(err)
	}
}

// Progress returns how many keys have been written, and how many there are.
func (r *RunningImage) Progress() (written, total int) { return r.image.Keys() }

// Finish writes the rest of the image in one go. It does nothing if the image is written.
func (r *RunningImage) Finish() {
	if !r.written {
		_, err := r.image.Step(0, nil)
		r.end(err)
	}
}

// Abort ends the image. Done gets [ErrImageAborted] unless it has been called.
func (r *RunningImage) Abort() { r.end(ErrImageAborted) }

// Release ends the job, so that others can begin. A second call does nothing.
func (r *RunningImage) Release() {
	r.end(ErrImageAborted)
	if r.s.images.running == r {
		r.s.images.running = nil
		r.s.images.next()
	}
}
