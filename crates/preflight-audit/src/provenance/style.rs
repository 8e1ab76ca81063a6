//! How the picture looks, in light and in dark.

/// Colours repeat what shapes, strokes and words say.
pub(super) const STYLE: &str = "
svg{--paper:#fff;--ink:#1c2024;--soft:#5b6470;--line:#c9d0d8;--cell:#f6f8fa;--good:#1f6f43;--bad:#b3261e;--ask:#3b5b92;background:var(--paper)}
@media (prefers-color-scheme:dark){svg{--paper:#14171a;--ink:#e8ebee;--soft:#a3adb8;--line:#3d454e;--cell:#1f242a;--good:#6fcf97;--bad:#ff8a80;--ask:#9db8ea}}
text{fill:var(--ink);font:12px system-ui,sans-serif;unicode-bidi:plaintext}
.title{font-size:17px;font-weight:600}.head{font-weight:600}.soft{fill:var(--soft);font-size:11px}
.mono{font:11px ui-monospace,monospace}
.paper{fill:var(--paper)}.lane{stroke:var(--line)}
.cell{fill:var(--cell);stroke:var(--soft)}.unknown{fill:none;stroke-dasharray:3 3}
.found{stroke:var(--bad);stroke-width:2.5}.badge{fill:var(--bad);font-weight:700;font-size:11px}
path{fill:none;stroke-width:1.6}
.inherits{stroke:var(--good)}
.bent{stroke:var(--bad);stroke-width:2.4;stroke-dasharray:9 3}
.missing,.unasked{stroke:var(--bad);stroke-width:2;stroke-dasharray:2 4}
.answers{stroke:var(--ask);stroke-dasharray:1.5 3.5}
.bad{fill:var(--bad);font-size:11px;font-weight:600}
marker path{stroke:none}.good-tip{fill:var(--good)}.bad-tip{fill:var(--bad)}.ask-tip{fill:var(--ask)}
.mark{fill:var(--paper);stroke:var(--bad);stroke-width:2}
";
