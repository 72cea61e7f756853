// Package keep watches over a lease on the holder's side: until when it lasts, that it is renewed, and who is told when it
// ends. It knows nothing of what the lease is of.
package keep
