package errtext

// IsCode reports whether errors of Redis begin with the code s, such as WRONGTYPE. Scripts can also
// reply with any other.
func IsCode(s string) bool {
	switch s {
	case "ASK", "BUSY", "BUSYGROUP", "BUSYKEY", "CLUSTERDOWN", "CROSSSLOT", "ERR", "EXECABORT", "INPROG",
		"INVALIDOBJ", "IOERR", "LOADING", "MASTERDOWN", "MISCONF", "MOVED", "NOAUTH", "NOGROUP",
		"NOMASTERLINK", "NOPERM", "NOPROTO", "NOREPLICAS", "NOSCRIPT", "NOTBUSY", "OOM", "READONLY",
		"TRYAGAIN", "UNBLOCKED", "UNKILLABLE", "WRONGPASS", "WRONGTYPE":
		return true
	}
	return false
}
