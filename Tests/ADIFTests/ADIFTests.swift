// ADIF
