/** The report's looks: light and dark by the reader's preference, one column on a phone. */
export const STYLE = `
:root{color-scheme:light dark;--page:#faf9f6;--card:#fff;--ink:#1d2129;--soft:#5f6673;--line:#e4e1da;
--hue0:#0b7f74;--hue1:#c4400c;--hue2:#6d4bd0;--hue3:#b08900;--hue4:#1c6fd1;--hue5:#b03a86;--hue6:#5c8a1e;--hue7:#8a5a3c;--hue8:#6b7280;--hue9:#00838f;--hue10:#475569;--hue11:#eda100;
--good:#d9efe9;--pale:#f1ead2;--bad:#f8d5c8;--worse:#f0b3a3}
@media (prefers-color-scheme:dark){:root{--page:#12151a;--card:#1a1e25;--ink:#e8e6e1;--soft:#9aa2af;--line:#2c323c;
--hue0:#34c3b3;--hue1:#ff8a4c;--hue2:#a78bfa;--hue3:#e0b93d;--hue4:#6cb0ff;--hue5:#f18ac9;--hue6:#a4d15c;--hue7:#d3a283;--hue8:#9ca3af;--hue9:#4dd0e1;--hue10:#94a3b8;--hue11:#ffc233;
--good:#17423c;--pale:#453d1d;--bad:#5b2b1a;--worse:#7a2f24}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
-webkit-text-size-adjust:100%}
main{max-width:1120px;margin:0 auto;padding:32px 20px 56px}
header p,footer{color:var(--soft)}
.mark{font-weight:650;letter-spacing:.02em;color:var(--hue0);margin:0}
h1{font-size:clamp(26px,5vw,38px);line-height:1.15;margin:.15em 0 .25em;letter-spacing:-.015em;text-wrap:balance}
h2{font-size:19px;margin:44px 0 4px;letter-spacing:-.005em}
h3{font-size:15px;margin:0 0 10px}
.question{font-size:18px;margin:0}
.summary{font-size:18px;max-width:92ch;margin:14px 0 0}.summary+.headlines{margin-top:22px}
.headlines{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:14px;margin:26px 0 0;padding:0;list-style:none}
.headlines li{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px 12px}
.headlines b{display:block;font-size:30px;line-height:1.15;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.headlines small{display:block;font-size:14px;font-variant-numeric:tabular-nums}
.headlines span{color:var(--soft);font-size:14px}
.checks{list-style:none;margin:26px 0 0;padding:0;font-size:15px}
.checks li{padding:9px 0 9px 28px;border-top:1px solid var(--line);position:relative}
.checks li:last-child{border-bottom:1px solid var(--line)}
.checks li::before{position:absolute;left:4px;top:9px;font-weight:700}
.pass::before{content:"\\2713";color:var(--hue0)}
.fail::before{content:"\\2717";color:var(--hue1)}
.open::before{content:"?";color:var(--hue3)}
.checks p{margin:0}.checks b{font-weight:600;font-size:14px}.checks div p,.checks details{font-size:13.5px;color:var(--soft)}
@media (min-width:760px){.checks li{display:grid;grid-template-columns:1fr 1fr;column-gap:28px}}
.checks small{font-size:11px;letter-spacing:.04em;color:var(--soft)}
.warning{border:1px solid var(--hue1);border-radius:12px;padding:10px 16px}
.about{color:var(--soft);margin:0 0 14px;font-size:14px}
.panels,.pair,.alone{display:grid;gap:14px}.pair{column-gap:28px}.pair>section{display:flex;flex-direction:column}.pair .panels{margin-top:auto}
@media (min-width:760px){.pair,.alone,.of2{grid-template-columns:1fr 1fr}.of3{grid-template-columns:1fr 1fr 1fr}}
.panel{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px}
svg{display:block;width:100%;height:auto;overflow:visible}
.plot{color:var(--soft);font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
.key{fill:none;stroke-width:2}.key.dashed{stroke-dasharray:2 4}.key.thick{stroke-width:10}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:0 0 12px;padding:0;list-style:none;font-size:14px}
.legend svg{display:inline-block;width:30px;height:10px;margin-right:8px;vertical-align:baseline}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:12px}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th{font-weight:500;color:var(--soft);text-align:left}
th,td{padding:7px 8px}th:first-child,td:first-child{padding-left:14px}th:last-child,td:last-child{padding-right:14px}
thead th{vertical-align:bottom}td{min-width:5em}td.number{min-width:0;white-space:nowrap}
tr.group td,tr.group th{border-top:1px solid var(--line)}
td small{display:block;white-space:nowrap;color:var(--soft);font-size:12.5px}
.number{text-align:right}
.wrapped td{vertical-align:top;min-width:9em}.wrapped th[colspan]{color:var(--ink);font-weight:650}
td.pass,td.fail,td.open{white-space:nowrap}
details{color:var(--soft);font-size:13.5px}summary{cursor:pointer}
@media (max-width:760px){.claims thead{display:none}.claims tr,.claims th,.claims td{display:block}.claims tr{padding:8px 0}
.claims th,.claims td{padding:2px 14px}.claims tr:not(.group) td:first-child{font-weight:600}
.claims td[data-title]::before{content:attr(data-title);color:var(--soft)}}
.matrix th[scope=row]{color:var(--ink);text-align:left;min-width:12em;border-top:1px solid var(--line);position:sticky;left:0;background:var(--card)}
.matrix th[scope=col]{vertical-align:bottom;min-width:6.5em}.cell{border:1px solid var(--line);padding:4px 10px;font-size:13px}
.right{background:var(--good)}.rejected{background:var(--pale)}.hung,.wrong{background:var(--bad)}.doubled{background:var(--worse);font-weight:650}
.kinds{color:var(--soft);font-size:14px;padding-left:18px;margin:0 0 12px}
.more{font-size:14px;margin:8px 0 0}a{color:inherit}
pre{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 16px;overflow-x:auto;font-size:14px}
.notes{padding-left:20px;max-width:80ch;font-size:15px}
.notes li{margin:6px 0}
.terms{color:var(--soft);font-size:14px;padding-left:18px;margin:18px 0 0}
dl{display:grid;grid-template-columns:auto 1fr;gap:3px 18px;font-size:14.5px;margin:12px 0 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
@media (max-width:520px){main{padding:22px 14px 40px}.headlines{grid-template-columns:1fr 1fr;gap:10px}.headlines li:last-child:nth-child(odd){grid-column:1/-1}.headlines b{font-size:24px}.matrix th[scope=row]{min-width:8em;font-size:13px}.matrix th,.matrix td{padding:4px 8px}}
`;
