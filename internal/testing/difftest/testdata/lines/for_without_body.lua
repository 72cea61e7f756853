for i = 1, 3 do end
for k, v in pairs({1, 2}) do
end
for _ in ipairs({}) do end
return 1
