package cmsgpack

// The first bytes of values. Those with the name fix have a length in their low bits. Bytes below
// 0x80 and from 0xe0 on are integers themselves. The other codes of the format (binary, extensions)
// are bad data here.
const (
	codeFixMap    = 0x80
	codeFixArray  = 0x90
	codeFixString = 0xa0
	codeNil       = 0xc0
	codeFalse     = 0xc2
	codeTrue      = 0xc3
	codeFloat32   = 0xca
	codeFloat64   = 0xcb
	codeUint8     = 0xcc
	codeUint16    = 0xcd
	codeUint32    = 0xce
	codeUint64    = 0xcf
	codeInt8      = 0xd0
	codeInt16     = 0xd1
	codeInt32     = 0xd2
	codeInt64     = 0xd3
	codeString8   = 0xd9
	codeString16  = 0xda
	codeString32  = 0xdb
	codeArray16   = 0xdc
	codeArray32   = 0xdd
	codeMap16     = 0xde
	codeMap32     = 0xdf
	codeNegative  = 0xe0
)
