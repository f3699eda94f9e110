def size_of(name, table):
    return 800, 400
