it('has a snapshot', function() assert.matches_snapshot({ 1 }) end)
it('has no snapshot', function() assert.matches_snapshot({ 1 }, 'new') end)
it('has another', function() assert.matches_snapshot('x') end)
