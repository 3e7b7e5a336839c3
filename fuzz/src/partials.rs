//! Sums of rows, and released targets, as other machines write them.

use dpsis::{Partial, ReleasedTarget, Stage};

/// Sums that are read add up, are written and read as such, and are released or refused. The bytes
/// are the JSON of sums, and behind a line feed that of a released target: their files carry a
/// checksum, which no mutation would pass.
pub fn partial(bytes: &[u8]) {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let mut next = || lines.next().unwrap_or_default();
    let Ok(sums) = serde_json::from_slice::<Partial>(next()) else { return };
    assert_eq!(Partial::from_text(&sums.to_text().unwrap()).unwrap(), sums);
    let twice = sums.clone().merge(&sums);
    if let Ok(twice) = &twice {
        assert_eq!(twice.stage(), sums.stage());
    }
    let Ok(request) = sums.request(1) else { return };
    let request = request.epsilon("1").seed(1);
    match sums.stage() {
        Stage::Selection => {
            if let Ok(record) = request.release(&sums) {
                assert_eq!(record.selected.len(), 1);
                assert!(!record.private);
            }
        }
        _ => {
            if let Ok(released) = request.release_target(&sums) {
                assert!(!released.is_private());
                let text = released.to_text().unwrap();
                assert_eq!(ReleasedTarget::from_text(&text).unwrap(), released);
            }
        }
    }
    let Ok(released) = serde_json::from_slice::<ReleasedTarget>(next()) else { return };
    assert_eq!(ReleasedTarget::from_text(&released.to_text().unwrap()).unwrap(), released);
    let score = dpsis::ColumnScore { score: 5, effect_size: 7, signed: Some((-7, 3)) };
    let scores = vec![score; sums.features()];
    if let Ok(columns) = sums.with_columns(&released, scores)
        && let Ok(record) = request.release(&columns)
    {
        assert_eq!(record.selected.len(), 1);
    }
}
