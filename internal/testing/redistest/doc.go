// Package redistest runs redis-server processes for tests: one, or several as a cluster, on free
// ports of the loopback interface. A process never outlives the test that started it, however that
// ends.
package redistest
