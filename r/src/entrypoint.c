/* Keeps the native routines of the static library, and registers them with R. */

void R_init_dpsis_extendr(void *dll);

void R_init_dpsis(void *dll) { R_init_dpsis_extendr(dll); }
