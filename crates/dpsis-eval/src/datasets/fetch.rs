//! Downloads by URL, limited in size and time.

#[cfg(not(feature = "http"))]
use dpsis::Parameter;
use dpsis::{Error, Result};

/// The limits of a download.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "nothing is downloaded"))]
pub(super) struct Limits {
    pub(super) bytes: u64,
    pub(super) seconds: u64,
}

/// Downloads the body at a URL; `None` if the server answers 404.
///
/// # Errors
///
/// `Io` if the download fails or times out; `Input` if the body is too large.
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

/// Refuses every URL: downloads need the feature `http`.
#[cfg(not(feature = "http"))]
pub(super) fn fetch(url: &str, _: Limits) -> Result<Option<Vec<u8>>> {
    Err(Error::request(format!("{url}: this build does not download"))
        .hint("build it with the feature http, or download the file and name its folder")
        .about([Parameter::BuildFeature("http")]))
}

#[cfg(feature = "http")]
#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    use dpsis::ErrorKind;

    use super::*;

    /// Answers one request with these bytes, then holds the connection open for a while.
    fn serve(answer: &'static [u8], hold: Duration) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/a.csv", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer);
            std::thread::sleep(hold);
        });
        url
    }

    #[test]
    fn bodies_within_limits() {
        let limits = Limits { bytes: 10, seconds: 30 };
        let now = Duration::ZERO;
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\na,y\n1";
        assert_eq!(fetch(&serve(whole, now), limits).unwrap().unwrap(), b"a,y\n1");
        let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        assert!(fetch(&serve(missing, now), limits).unwrap().is_none());
        let broken = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        let short = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\na,y";
        let large = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789abcdef";
        for (answer, kind, text) in [
            (&broken[..], ErrorKind::Io, "answered 500"),
            (short, ErrorKind::Io, "cannot download"),
            (large, ErrorKind::Input, "far larger"),
        ] {
            let error = fetch(&serve(answer, now), limits).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn a_server_that_stalls() {
        let start = Instant::now();
        let stalled = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na,y";
        let url = serve(stalled, Duration::from_secs(30));
        let error = fetch(&url, Limits { bytes: 10, seconds: 1 }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
