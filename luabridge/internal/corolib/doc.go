// Package corolib is the library coroutine, on gopher-lua's threads. The machine counts how deeply
// coroutines are nested.
package corolib
