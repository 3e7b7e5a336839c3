#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dpsis_fuzz::partial(bytes));
