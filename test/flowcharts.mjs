// flowcharts.mjs FOLDER FLOWCHART SVG - draws a flowchart by Mermaid
//
// FOLDER has the npm packages.  SVG is what graphviz has drawn of the same graph
// in DOT.  In a browser both must have the same title, the same nodes with the
// same texts, and as many edges, with Mermaid's protection against markup in
// labels and without it.  No label may have become an element, and there may be
// no request.  The screenshot is FLOWCHART.png.  Complaints are printed and make
// the exit status 1.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, flowchart, svg] = process.argv.slice(2);
const require = createRequire(join(folder, '/'));
const { chromium } = require('playwright-core');
const complaints = [];

function check(holds, complaint) {
	if (!holds)
		complaints.push(`${flowchart}: ${complaint}`);
}

// graphviz writes some spaces as U+00A0, and HTML merges several.  For Mermaid
// graph-export replaces two characters.
function spaced(text) {
	return text?.replace(/[\u00a0 ]+/g, ' ').replace(/^ | $/gm, '')
	    .replaceAll('\u00b6', '\ufffd').replaceAll('\ufb02', 'fl');
}

// A title as graph-export writes it for Mermaid: one line, < as its wide form.
function wide(title) {
	return title.replaceAll('\n', '. ').replaceAll('<', '\uff1c')
	    .replaceAll('>', '\uff1e').replaceAll('&', '\uff06');
}

// What graphviz has drawn.  Runs in the browser, as the next one.
function read_graphviz() {
	const texts = (g) => [...g.querySelectorAll(':scope > text')]
	    .map((t) => t.textContent).join('\n');
	const nodes = {};

	for (const g of document.querySelectorAll('g.node'))
		nodes[g.querySelector('title').textContent] =
		    texts(g.querySelector('a') ?? g);
	return { nodes, title: texts(document.querySelector('g.graph')),
	    n_edges: document.querySelectorAll('g.edge').length };
}

async function read_mermaid([text, securityLevel]) {
	mermaid.initialize({ startOnLoad: false, securityLevel });
	document.body.innerHTML = '';
	const { svg: drawn } = await mermaid.render('chart', text);
	document.body.innerHTML = drawn;
	const nodes = {};

	for (const g of document.querySelectorAll('g.node')) {
		const label = g.querySelector('.nodeLabel p') ??
		    g.querySelector('.nodeLabel');
		nodes[g.id.replace(/^(chart-)?flowchart-(\w+)-\d+$/, '$2')] =
		    [...label.childNodes].map((n) => n.nodeName === 'BR' ? '\n' :
		    n.textContent).join('');
	}
	return { nodes, title: document.querySelector('.flowchartTitleText')
	    ?.textContent ?? '',
	    n_edges: document.querySelectorAll('.edgePaths path').length,
	    strange: [...document.querySelectorAll('.nodes *, .root *')]
	    .map((e) => e.nodeName.toLowerCase())
	    .filter((n) => !['g', 'rect', 'foreignobject', 'div', 'span', 'p',
	    'br', 'path', 'marker', 'circle', 'polygon'].includes(n)) };
}

const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
const text = await readFile(flowchart, 'utf8');

page.on('pageerror', (e) => check(false, e.message));
page.on('dialog', (d) => { check(false, 'a dialog'); d.dismiss(); });
await page.goto(pathToFileURL(resolve(svg)).href);
const want = await page.evaluate(read_graphviz);
check(Object.keys(want.nodes).length > 0, 'graphviz drew no node');
await page.goto('about:blank');
page.on('request', (r) => check(false, `asks for ${r.url()}`));
await page.addScriptTag({ path: join(folder,
    'node_modules/mermaid/dist/mermaid.min.js') });
for (const level of ['strict', 'loose']) {
	const got = await page.evaluate(read_mermaid, [text, level])
	    .catch((e) => ({ nodes: {}, title: e.message, strange: [] }));

	check(spaced(got.title) === spaced(wide(want.title)),
	    `the title is ${got.title}, not ${want.title}`);
	check(got.n_edges === want.n_edges,
	    `${got.n_edges} edges, not ${want.n_edges}`);
	check(got.strange.length === 0, `elements: ${got.strange}`);
	for (const id of new Set([...Object.keys(got.nodes),
	    ...Object.keys(want.nodes)]))
		check(spaced(got.nodes[id]) === spaced(want.nodes[id]),
		    `${level}: ${id} is ` +
		    JSON.stringify(got.nodes[id]) + ', not ' +
		    JSON.stringify(want.nodes[id]));
}
await page.screenshot({ path: `${flowchart}.png`, fullPage: true });
await browser.close();
complaints.slice(0, 10).forEach((c) => console.log(c));
process.exit(complaints.length > 0 ? 1 : 0);
