error('it fails')
