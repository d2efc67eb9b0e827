#include "cli/report_style.hpp"

namespace tutti::report {

namespace {

// Text on each of these grounds has a contrast of at least 4.5, curves on the page one of at least 3, in both schemes
// (tests/report/browser.py measures the first).
constexpr const char* light = R"(
--page:#ffffff;--ink:#1b1f24;--soft:#545d68;--line:#c9ced6;--card:#f4f6f8;--link:#0b5cad;
--gpu:#d6edce;--gpu-edge:#3b7a2a;--nic:#fff0c4;--nic-edge:#8f6a00;--cpu:#e3eefa;--cpu-edge:#3c72ad;
--bridge:#eff1f4;--bridge-edge:#99a2ad;--socket:#f7f9fb;--fabric:#bfe3b3;--bad:#b3261e;
--error:#a3201a;--error-ground:#fdeceb;--warning:#7a4b00;--warning-ground:#fff3dc;--note:#1f5488;--note-ground:#e8f1fb;
--c0:#0b62b3;--c1:#b84a00;--c2:#23803a;--c3:#8a3ea8;--c4:#a3860a;--c5:#c2185b;--c6:#0f8088;--c7:#5c5f66;
)";
constexpr const char* dark = R"(
--page:#14171b;--ink:#e7eaee;--soft:#a6afba;--line:#3c444e;--card:#1d2127;--link:#7db8f5;
--gpu:#234a1d;--gpu-edge:#7cc466;--nic:#4a3b0c;--nic-edge:#dcb23e;--cpu:#1b2c40;--cpu-edge:#6aa3dc;
--bridge:#262c33;--bridge-edge:#7a8592;--socket:#191d22;--fabric:#2b5a22;--bad:#ff8a80;
--error:#ff9b92;--error-ground:#3a1a18;--warning:#ffc46b;--warning-ground:#38290f;--note:#92c4f7;--note-ground:#182a3c;
--c0:#62aef5;--c1:#f79a5c;--c2:#6ccb82;--c3:#cf95e6;--c4:#e0c14a;--c5:#f27ba9;--c6:#56c7cf;--c7:#b4bac3;
)";
constexpr const char* screen = R"(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
header,main,footer{max-width:1180px;margin:0 auto;padding:0 20px}
header{padding-top:28px}
h1,h2,h3,p,li,dd,td,th{overflow-wrap:anywhere}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 6px}
h2{font-size:1.35rem;margin:44px 0 10px;padding-bottom:6px;border-bottom:2px solid var(--line)}
h3{font-size:1.05rem;margin:26px 0 6px}
p{margin:6px 0 10px;max-width:80ch}
a{color:var(--link)}
.soft{color:var(--soft)}
code,.code{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.86em}
.gists{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(240px,100%),1fr));gap:12px;margin:20px 0 0;padding:0;list-style:none}
.gists li{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.gists a{font-weight:600;display:block}
.banner{padding:10px 14px;border-radius:8px;max-width:none;font-weight:600}
.banner.error{color:var(--error);background:var(--error-ground);border:1px solid var(--error)}
figure{margin:12px 0 16px}
.scroll{overflow-x:auto;max-width:100%}
.scroll:focus-visible,a:focus-visible{outline:3px solid var(--link);outline-offset:2px}
svg{display:block;width:100%;height:auto}
svg text{font:11px system-ui,"DejaVu Sans",sans-serif;fill:var(--ink)}
svg text.strong{font-weight:600;font-size:11.5px}
svg text.soft{fill:var(--soft);font-size:10.5px}
svg text.code{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:10px;fill:var(--ink)}
svg rect{stroke-width:1.2}
.gpu{fill:var(--gpu);stroke:var(--gpu-edge)}
.nic{fill:var(--nic);stroke:var(--nic-edge)}
.cpu{fill:var(--cpu);stroke:var(--cpu-edge)}
.bridge{fill:var(--bridge);stroke:var(--bridge-edge)}
.other{fill:var(--page);stroke:var(--bridge-edge);stroke-dasharray:3 3}
.socket{fill:var(--socket);stroke:var(--line)}
.fabric{fill:var(--fabric);stroke:var(--gpu-edge)}
.bad{stroke:var(--bad);stroke-width:3!important;stroke-dasharray:6 3}
.link{fill:none;stroke:var(--gpu-edge)}
.thick{stroke-width:3}
.kind0{stroke-width:1.6}
.kind1{stroke-width:4}
.kind2{stroke-width:6.5}
.between{stroke:var(--cpu-edge);stroke-width:3;stroke-dasharray:2 3}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));gap:12px 20px}
.plot{fill:none;stroke:var(--soft)}
.grid{stroke:var(--line);stroke-width:1}
.grid.fine{stroke-dasharray:2 4}
svg text.tick{font-size:11px;fill:var(--soft)}
svg text.axis{font-size:12px;font-weight:600}
.curve{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}
.spread{stroke:currentColor;stroke-width:4;opacity:.28}
.mark{fill:var(--page);stroke:currentColor;stroke-width:1.6}
.c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}
.c4{color:var(--c4)}.c5{color:var(--c5)}.c6{color:var(--c6)}.c7{color:var(--c7)}
.curve.c4,.curve.c5,.curve.c6,.curve.c7{stroke-dasharray:7 4}
.mark.c0,.mark.c1,.mark.c2,.mark.c3{fill:currentColor}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;margin:8px 0;padding:0}
.legend li{display:flex;align-items:center;gap:8px}
svg.key{width:34px;flex:none}
svg.bar{width:120px;height:10px}
svg.bar rect{fill:var(--c0);stroke:none}
table{border-collapse:collapse;font-size:.88rem;margin:6px 0 14px;min-width:min(100%,30rem)}
caption{text-align:left;color:var(--soft);padding:4px 0}
th,td{padding:4px 12px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:normal}
thead th{border-bottom:2px solid var(--soft);white-space:nowrap}
tbody th{font-weight:600;white-space:nowrap}
tr.words th{white-space:normal;min-width:16ch}
td{white-space:nowrap;font-variant-numeric:tabular-nums}
td.words,tr.words td:last-child{white-space:normal;min-width:32ch}
tr.chosen{background:var(--note-ground)}
.numbers td,.numbers th{text-align:right;padding:2px 10px}
.numbers thead th[colspan]{text-align:center;border-left:1px solid var(--line)}
.best{font-weight:700}
.findings{list-style:none;margin:12px 0;padding:0;display:grid;gap:12px}
.finding{border:1px solid var(--line);border-left:6px solid var(--line);border-radius:6px;padding:10px 16px}
.finding.error{border-left-color:var(--error)}
.finding.warning{border-left-color:var(--warning)}
.finding.note{border-left-color:var(--note)}
.finding h3{margin:0 0 2px}
.finding p{margin:2px 0 6px}
.badge{display:inline-block;border-radius:4px;padding:0 8px;font-size:.82rem;font-weight:700;margin-right:4px}
.badge.error{color:var(--error);background:var(--error-ground)}
.badge.warning{color:var(--warning);background:var(--warning-ground)}
.badge.note{color:var(--note);background:var(--note-ground)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 14px;margin:0}
dt{color:var(--soft)}
dd{margin:0}
.remedy{font-weight:600}
.provenance td{white-space:normal;overflow-wrap:anywhere;min-width:14ch}
footer{padding-bottom:40px;color:var(--soft)}
@media (max-width:560px){
header,main,footer{padding-left:14px;padding-right:14px}
h1{font-size:1.4rem}
h2{margin-top:32px}
dl{grid-template-columns:minmax(0,1fr)}
dd+dt{margin-top:4px}
.finding{padding:8px 12px}
tbody th{white-space:normal;min-width:9ch}
}
)";
constexpr const char* paper = R"(
@page{size:A4;margin:14mm}
body{font-size:10.5pt}
header,main,footer{max-width:none;padding:0}
h2,h3,caption,.legend{break-after:avoid}
h2{margin-top:20pt}
figure,.finding,.keep,tr,.gists li{break-inside:avoid}
thead{display:table-header-group}
.scroll{overflow:visible}
svg{min-width:0!important;max-width:100%!important}
table{font-size:8.5pt;max-width:100%}
.numbers{font-size:7.5pt}
.numbers td,.numbers th{padding:1pt 4pt}
td,thead th,tbody th{white-space:normal}
td.words,tr.words td:last-child{min-width:0}
.numbers td,.numbers th{white-space:nowrap}
.charts{grid-template-columns:1fr 1fr}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
a{text-decoration:none}
)";

}  // namespace

std::string style() {
  return std::string(":root{color-scheme:light dark;") + light + "}\n@media (prefers-color-scheme:dark){:root{" + dark +
         "}}\n" + screen + "@media print{:root{color-scheme:light;" + light + "}\n" + paper + "}\n";
}

}  // namespace tutti::report
