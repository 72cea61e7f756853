// Package lock is a lock that one holder has at a time, until it releases it or its time
// to live passes. Each acquisition has a random token, so that nobody releases or renews
// a lock that has passed to another.
//
// One lock is one key, lock:{name}.
package lock
