/// The shim is loaded by LD_PRELOAD and has no interface: faults.c says which variables of the environment it reads.
int groundwave_faults_loaded(void);
