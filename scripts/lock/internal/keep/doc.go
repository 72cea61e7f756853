// Package keep is the holder's side of a lease: until when it lasts, its renewal, and the
// notification when it ends. It does not know what kind of lock the lease belongs to.
package keep
