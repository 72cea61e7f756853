
return
