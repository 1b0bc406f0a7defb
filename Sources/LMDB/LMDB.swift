// LMDB
