//! Figures as SVG documents of their own.

/// The colors of figures in a page of light colors.
const COLORS: [(&str, &str); 6] = [
    ("ink", "#1f2328"),
    ("muted", "#57606a"),
    ("paper", "#ffffff"),
    ("line", "#d5dbe1"),
    ("note-ground", "#eef1f4"),
    ("p0", "#0072b2"),
];

/// An SVG element of a page as a document with its style. Its colors are literal, because few
/// programs besides browsers read variables.
pub(super) fn document(svg: &str) -> String {
    let style = include_str!("figure.css").to_owned();
    let style = COLORS
        .iter()
        .fold(style, |style, (name, color)| style.replace(&format!("var(--{name})"), color));
    let (head, body) = svg.split_once(">\n").unwrap_or((svg, ""));
    let head =
        head.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"intervals\" ", 1);
    format!(
        "{head}>\n<style>\ntext {{ font-family: Helvetica, Arial, \"DejaVu Sans\", sans-serif; }}\n{style}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use crate::markup::is_balanced;
    use crate::report::testing::with_effect_sizes;
    use crate::report::to_svg;

    #[test]
    fn a_document_has_its_own_colors() {
        let [svg] = &to_svg(&with_effect_sizes(["\u{57fa}\u{56e0}", "b"]))[..] else {
            panic!("one figure");
        };
        assert!(is_balanced(svg), "{svg}");
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{svg}");
        assert!(svg.contains("fill: #57606a") && !svg.contains("var("), "{svg}");
    }
}
