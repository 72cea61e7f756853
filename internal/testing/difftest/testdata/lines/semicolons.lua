local a = 1; local b = 2;
do
  a = a + b;
end;
return a;
