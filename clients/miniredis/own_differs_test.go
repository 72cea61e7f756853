package miniredis

// ownDiffers says why tests of miniredis's own fail on minicompat.
var ownDiffers = map[string]string{}
