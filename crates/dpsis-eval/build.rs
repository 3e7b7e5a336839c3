//! Links the system's LAPACK under feature `lapack`, and does nothing without it.
//!
//! OpenBLAS, because one library of that name provides BLAS and LAPACK on every platform:
//! `libopenblas-dev` (Debian, Ubuntu), `openblas-devel` (Fedora), `openblas` (Arch, Homebrew,
//! vcpkg). Homebrew and vcpkg install it outside of the linker's search path; `OPENBLAS_LIB_DIR`
//! names its folder.
// Build scripts talk to Cargo by lines on stdout.
#![allow(clippy::print_stdout)]

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=OPENBLAS_LIB_DIR");
    if env::var_os("CARGO_FEATURE_LAPACK").is_none() {
        return;
    }
    let folder = env::var("OPENBLAS_LIB_DIR").ok();
    if let Some(folder) = &folder {
        println!("cargo::rustc-link-search=native={folder}");
    }
    println!("cargo::rustc-link-lib=openblas");
    // Only a warning: documentation and checks do not need the library.
    if links(folder.as_deref()) == Some(false) {
        println!(
            "cargo::warning=openblas not found, which feature `lapack` links: install it (Debian and \
             Ubuntu: apt-get install libopenblas-dev), or name its folder in OPENBLAS_LIB_DIR"
        );
    }
}

/// Whether a program can be linked with openblas; None if that cannot be tried.
fn links(folder: Option<&str>) -> Option<bool> {
    let out = env::var_os("OUT_DIR")?;
    let source = Path::new(&out).join("links.rs");
    std::fs::write(&source, "fn main() {}\n").ok()?;
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc.arg(&source).arg("-o").arg(Path::new(&out).join("links")).args(["-l", "openblas"]);
    rustc.arg("--target").arg(env::var_os("TARGET")?);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={linker}"));
    }
    if let Some(folder) = folder {
        rustc.arg("-L").arg(folder);
    }
    Some(rustc.output().ok()?.status.success())
}
