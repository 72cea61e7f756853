// Package faultdisk is a file system in memory for tests of persistence. It fails on demand and
// forgets in a crash what a disk may forget.
//
// The model, which is as bad as POSIX allows:
//
//   - What was written to a file since its last successful Sync may be lost in a crash, or end at
//     any byte, or have sectors that are zero.
//   - A name that was created, renamed or removed since the last SyncDir of its directory may be as
//     before. A rename is done or not done, never half; one between two directories is safe after
//     SyncDir of the directory that received the name.
//   - After a Sync that failed, the bytes that it should have written are readable until the crash
//     and gone after it, even if later calls of Sync succeed.
//
// A [Disk] numbers its calls, and [Disk.Inject] decides for each whether it fails. [Disk.Crash]
// ends a Disk and returns another one with what the crash left. Both are decided by the test, so
// that a failure can be repeated.
package faultdisk
