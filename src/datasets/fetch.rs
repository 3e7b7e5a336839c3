//! Files by URL, within limits of size and time.

use crate::error::{Error, Result};

/// What a download may take.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "nothing is downloaded"))]
pub(super) struct Limits {
    pub(super) bytes: u64,
    pub(super) seconds: u64,
}

/// The body at a URL; `None` if the server says that there is none (404).
///
/// # Errors
///
/// `Io` if it cannot be had whole in time; `Input` if it is too large.
#[cfg(feature = "http")]
pub(super) fn fetch(url: &str, limits: Limits) -> Result<Option<Vec<u8>>> {
    use std::time::Duration;

    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(Duration::from_secs(limits.seconds)))
        .user_agent(concat!("dpsis/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    let failed = |error: ureq::Error| match error {
        ureq::Error::BodyExceedsLimit(_) => {
            Error::input(format!("{url} is far larger than any known set"))
        }
        ureq::Error::StatusCode(status) => {
            Error::io(format!("cannot download {url}: the server answered {status}"))
        }
        error => Error::io(format!("cannot download {url}: {error}")),
    };
    let mut response = match agent.get(url).call() {
        Err(ureq::Error::StatusCode(404)) => return Ok(None),
        response => response.map_err(failed)?,
    };
    let body = response.body_mut().with_config().limit(limits.bytes).read_to_vec();
    body.map(Some).map_err(failed)
}

/// Without feature `http` nothing is downloaded.
#[cfg(not(feature = "http"))]
pub(super) fn fetch(url: &str, _: Limits) -> Result<Option<Vec<u8>>> {
    Err(Error::request(format!("{url}: this build does not download"))
        .hint("build with --features http, or download the file and name its folder"))
}
