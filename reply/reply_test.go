package reply_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/reply"
)

func TestDoublesAreWrittenWithSeventeenDigits(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 3: "3", -1.5: "-1.5", 0.1: "0.10000000000000001", 1e21: "1e+21", 1e-7: "9.9999999999999995e-08",
		123456789012345680: "1.2345678901234568e+17", 1e17: "1e+17", 1e16: "10000000000000000", 0.0001: "0.0001",
		math.Inf(1): "inf", math.Inf(-1): "-inf", math.Copysign(0, -1): "-0", 5e-324: "4.9406564584124654e-324",
	} {
		require.Equal(t, want, reply.FormatDouble(f))
	}
}

func TestADecimalIsWrittenWithoutExponent(t *testing.T) {
	for f, want := range map[float64]string{
		13.361389338970184: "13.36138933897018433", 1e-7: "0.0000001", 1e-18: "0", -1e-18: "0",
		180: "180", -85.05112878: "-85.0511287799999991",
	} {
		require.Equal(t, want, reply.Decimal(f).Text())
	}
	v := reply.Decimal(1.23456789012345e-12)
	require.Equal(t, "0.00000000000123457", v.Text())
	require.Equal(t, 1.23457e-12, v.Float(), "it is what its text says")
	require.True(t, v.IsDecimal())
	require.False(t, reply.Double(1).IsDecimal())
}

func TestFormatGCutsZerosAndRounds(t *testing.T) {
	require.Equal(t, "0.33333333333333", reply.FormatG(1.0/3, 14))
	require.Equal(t, "1e+15", reply.FormatG(1e15, 14))
	require.Equal(t, "100000000000000", reply.FormatG(1e14, 15))
	require.Equal(t, "1e+100", reply.FormatG(1e100, 14))
}

func TestAValueReadsAsTextIntAndList(t *testing.T) {
	list := reply.Array(reply.Bulk("a"), reply.Int(7), reply.Nil(), reply.Double(2.5), reply.Bool(true))
	require.Equal(t, []string{"a", "7", "", "2.5", "1"}, list.Strings())
	require.Equal(t, 5, list.Len())
	require.Equal(t, "", list.Text())
	require.Equal(t, int64(0), list.Int())
	require.Equal(t, int64(42), reply.Bulk("42").Int())
	require.Equal(t, 4.25, reply.Bulk("4.25").Float())
	require.True(t, reply.OK().Bool())
	require.True(t, reply.NilArray().IsNil())
	require.Nil(t, reply.Int(1).Slice())
	require.Nil(t, reply.Bulk("text").Slice())
	v := reply.Verbatim("txt", "hello")
	require.Equal(t, "txt", v.Format())
	require.Equal(t, "hello", v.Text())
	require.Equal(t, "", reply.Bulk("").Text())
	require.Empty(t, reply.Array().Slice())
}

func TestErrorsCompareByCode(t *testing.T) {
	err := reply.Err("WRONGTYPE Operation against a key").Err()
	require.ErrorIs(t, err, &reply.Error{Code: "WRONGTYPE"})
	require.ErrorIs(t, err, &reply.Error{Code: "WRONGTYPE", Message: "Operation against a key"})
	require.NotErrorIs(t, err, &reply.Error{Code: "WRONGTYPE", Message: "another"})
	require.NotErrorIs(t, err, &reply.Error{Code: "ERR"})
	require.False(t, errors.Is(err, errors.ErrUnsupported))
	require.NoError(t, reply.OK().Err())
	require.Equal(t, "CODE", reply.Err("CODE").Err().Error())
}
