//! Pixels, by the fonts of the machine.

use resvg::{
    tiny_skia::{Color, Pixmap, Transform},
    usvg::{Options, Tree},
};

use crate::ReportError;

/// Pixels for each unit of the drawing.
const SCALE: f32 = 2.0;
/// What plain text is set in, the best first; glyphs that it lacks are taken from other fonts.
const FAMILIES: [&str; 4] = ["Noto Sans", "DejaVu Sans", "Liberation Sans", "Arial"];

pub(super) fn render(svg: &str) -> Result<Vec<u8>, ReportError> {
    let fault = |error: &dyn std::fmt::Display| ReportError::Drawing(error.to_string());
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let families = || {
        fonts
            .faces()
            .flat_map(|face| face.families.iter().map(|(name, _)| name))
    };
    let known = FAMILIES
        .iter()
        .find(|wanted| families().any(|name| name == **wanted));
    let family = known
        .map(|name| (*name).to_owned())
        .or_else(|| families().next().cloned());
    let family = family.ok_or_else(|| {
        ReportError::Drawing(
            "no font is installed: pictures in PNG need one, SVG does not".to_owned(),
        )
    })?;
    fonts.set_sans_serif_family(family);
    let tree = Tree::from_str(svg, &options).map_err(|error| fault(&error))?;
    let size = tree.size();
    let pixels = |length: f32| (length * SCALE).ceil() as u32;
    let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height()))
        .ok_or_else(|| fault(&"the picture is too large"))?;
    pixmap.fill(Color::WHITE);
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixmap.as_mut(),
    );
    pixmap.encode_png().map_err(|error| fault(&error))
}
