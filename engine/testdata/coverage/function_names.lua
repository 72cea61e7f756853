-- The ways in which a text names a function.
-- call
local M = {                                --> 1
  field = function() return 1 end,         --> 1 | calls field 1
  ['key'] = function() return 2 end,       --> 1 | calls anonymous 1
  function() return 3 end,                 --> 1 | calls anonymous 1
}
local f = function() return 4 end          --> 1 | calls f 1
function M.plain() return 5 end            --> 1 | calls M.plain 1
function M:method() return self.n end      --> 1 | calls M:method 1
M.n = 6                                    --> 1
M.sub = {}                                 --> 1
M.sub.set = function() return 7 end        --> 1 | calls M.sub.set 1
function M . sub . spaced() return 8 end   --> 1 | calls M.sub.spaced 1
local a, b = 1, function() return 9 end    --> 1 | calls anonymous 1
return M.field() + M.key() + M[1]() + f() + M.plain() + M:method() + M.sub.set() + M.sub.spaced() + b() --> 1
