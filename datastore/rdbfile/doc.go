// Package rdbfile writes and reads whole RDB files: the snapshots of Redis (dump.rdb), the bases of
// its append-only files, and what a master sends to a replica.
//
// An RDB file is a signature with the version of the format, auxiliary fields, function libraries,
// the keys of each database, and a checksum. Package datastore has the format of keys and values;
// this package adds what the auxiliary fields say, and files on disk.
//
// [Write] writes the keyspace in one go, [Begin] in steps while commands go on. [Load] puts the
// keys of a file into a store, [Keys] shows them without a store. Files have the version of Redis
// 7.0 unless [Writing.Version] names another; files of all earlier versions can be read, and with
// [Reading.Version] those of later Redis and of Valkey.
//
// What belongs to a store runs on the goroutine that owns the store. Readers take memory in
// proportion to the largest value, not to the file. They trust nothing that they read: a damaged
// file gives a [datastore.FileError] with the offset, or the same keys.
package rdbfile
