// Package client talks to a Redis server, or to redmoon's own, over RESP2: just enough to run scripts on it
// as on an engine.
package client
