// Package heap walks over the values that a script can reach: to measure their memory ([Scale]) and
// to do what scripts can see of a garbage collection ([Marker]).
package heap
