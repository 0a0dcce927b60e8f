// viewers.mjs FOLDER FILE TITLE - opens FILE in speedscope
//
// FOLDER has the npm packages.  Writes FILE.opened, which speedscope exports
// after it has read FILE, and the screenshot FILE.png.  Complaints are printed
// and make the exit status 1.  Without TITLE, FILE is a trace, and speedscope
// must have a profile for each lane and in it each slice.

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const [folder, file, title] = process.argv.slice(2);
const require = createRequire(join(folder, '/'));
const { chromium } = require('playwright-core');
const Ajv = require('ajv');
const viewer = join(folder, 'node_modules/speedscope/dist/release');
const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const complaints = [];

function check(holds, complaint) {
	if (!holds)
		complaints.push(complaint);
}

// Serves speedscope and FILE.
async function serve(request, response) {
	const name = basename(new URL(request.url, 'http://x').pathname);
	const path = request.url === '/file/' + basename(file) ? file :
	    join(viewer, name || 'index.html');

	try {
		const body = await readFile(path);
		const type = types[path.split('.').pop()] ?? 'text/plain';
		response.writeHead(200, { 'content-type': type }).end(body);
	} catch {
		response.writeHead(404).end();
	}
}

// The share of the pixels in a row of a screenshot that are not grey.  Runs in
// the browser.
function coloured([png, row]) {
	const image = new Image();

	image.src = 'data:image/png;base64,' + png;
	return image.decode().then(() => {
		const canvas = new OffscreenCanvas(image.width, image.height);
		const context = canvas.getContext('2d');
		let n = 0;

		context.drawImage(image, 0, 0);
		const { data } = context.getImageData(0, row, image.width, 1);
		for (let i = 0; i < data.length; i += 4)
			n += data[i] !== data[i + 1] || data[i] !== data[i + 2];
		return n / image.width;
	});
}

async function open_page(page, url, loaded) {
	// Speedscope reports an error in a dialog.
	const dialog = new Promise((_, reject) => page.on('dialog', (d) => {
		d.dismiss();
		reject(new Error(d.message()));
	}));

	dialog.catch(() => {});	// it may be rejected before it is awaited
	page.on('pageerror', (e) => check(false, e.message));
	page.on('console', (m) => check(m.type() !== 'error' &&
	    !/^Failed|still open|Tried to|could not find|missing/i
	    .test(m.text()), m.text()));
	page.on('request', (r) => check(/^(blob|data):/.test(r.url()) ||
	    r.url().startsWith(new URL(url).origin + '/'),
	    'asks for ' + r.url()));
	page.setDefaultTimeout(20000);
	await page.goto(url);
	await Promise.race([dialog, page.waitForFunction((pattern) =>
	    new RegExp(pattern + '|went wrong').test(document.body.innerText),
	    loaded)]);
	if ((await page.innerText('body')).includes('went wrong'))
		throw new Error('speedscope refuses it');
}

async function export_profiles(page) {
	const download = page.waitForEvent('download');

	await page.keyboard.press('Control+s');
	await (await download).saveAs(file + '.opened');
	return JSON.parse(await readFile(file + '.opened'));
}

// The slices of each lane, as PID.TID.
function lanes_of(trace) {
	const lanes = {};

	for (const { ph, pid, tid } of trace.traceEvents)
		if (ph === 'X')
			lanes[`${pid}.${tid}`] =
			    (lanes[`${pid}.${tid}`] ?? 0) + 1;
	return Object.values(lanes).sort().join();
}

async function check_trace(page, origin) {
	await open_page(page, `${origin}/#profileURL=` +
	    encodeURIComponent(`${origin}/file/${basename(file)}`), 'tid');
	const opened = await export_profiles(page);
	const slices = opened.profiles.map(({ events }) =>
	    events.filter(({ type }) => type === 'O').length);
	const want = lanes_of(JSON.parse(await readFile(file)));

	check(slices.sort().join() === want,
	    `the lanes have ${slices} slices, not ${want}`);
	await page.screenshot({ path: file + '.png' });
	return opened.shared.frames.length;
}

async function check_page(page, origin) {
	await open_page(page, `${origin}/#view=sandwich&profileURL=` +
	    encodeURIComponent(`${origin}/file/${basename(file)}`),
	    'Symbol Name');
	const text = await page.innerText('body');
	const lines = text.split('\n').map((line) => line.trim());
	check(lines.includes(title), `the title is not '${title}': ${text}`);

	const opened = await export_profiles(page);
	check(opened.profiles.length === 1, 'there are several profiles');
	for (const { name } of opened.shared.frames)
		check(lines.includes(name), `'${name}' is not in the table`);

	// The root functions fill the first row of the flame graph, 148 pixels
	// below the top.
	await page.getByText('Left Heavy').click();
	let part = 0;
	for (let i = 0; i < 20 && part < 0.9; i++) {
		const png = await page.screenshot({ path: file + '.png' });

		part = await page.evaluate(coloured,
		    [png.toString('base64'), 148]);
	}
	check(part >= 0.9, `only ${part} of the first row is drawn`);
	return opened.shared.frames.length;
}

async function validate() {
	const schema = join(viewer, 'file-format-schema.json');
	const ajv = new Ajv({ strict: false });

	check(ajv.validate(JSON.parse(await readFile(schema)),
	    JSON.parse(await readFile(file))), ajv.errorsText());
}

const server = createServer(serve);
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM,
    args: ['--use-gl=angle', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader'] });
try {
	const page = await browser.newPage({
	    viewport: { width: 1200, height: 400 } });
	const n = await (title === undefined ? check_trace : check_page)(page,
	    `http://127.0.0.1:${server.address().port}`);
	if (title !== undefined && file.endsWith('.json'))
		await validate();
	console.log(`${basename(file)}: '${title ?? 'a trace'}', ` +
	    `${n} functions`);
} catch (e) {
	complaints.push(e.message);
} finally {
	await browser.close();
	server.close();
}
for (const complaint of complaints)
	console.error(`${basename(file)}: ${complaint}`);
process.exitCode = complaints.length > 0 ? 1 : 0;
