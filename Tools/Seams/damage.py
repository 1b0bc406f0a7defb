CONTROLS={}
def units(o): return 0
