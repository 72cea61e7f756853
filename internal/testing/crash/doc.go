// Package crash kills servers under the red-packet load and looks what is left. Only tests use it.
//
// A child process serves an engine with files of package persist. Workers in the test grab packets
// and note each answer. At a random moment the child is killed (SIGKILL) and started again on the
// same files. Then every grab that was answered must be there, none twice, and the lists, sums and
// records of the script must agree with each other.
package crash
