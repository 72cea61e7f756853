return 'init'
