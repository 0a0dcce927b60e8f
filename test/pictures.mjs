// pictures.mjs FOLDER FILE [NAME] - checks a picture in a browser
//
// FOLDER has the npm packages.  FILE is opened at two widths, in light and dark;
// screenshots are stored as FILE-WIDTH-SCHEME.png.  No text may overlap another
// or leave the picture or its box; there may be no error and no request.  If
// there is a NAME, search must find it, and zoom must show it.  Complaints are
// printed and make the exit status 1.

import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { misplaced } from './places.mjs';

const [folder, file, name] = process.argv.slice(2);
const require = createRequire(join(folder, '/'));
const { chromium } = require('playwright-core');
const url = pathToFileURL(resolve(file)).href;
const complaints = [];

function check(holds, complaint) {
	if (!holds)
		complaints.push(complaint);
}

async function check_page(page, width, scheme) {
	page.on('pageerror', (e) => check(false, e.message));
	page.on('console', (m) => check(m.type() !== 'error', m.text()));
	page.on('request', (r) => check(r.url().split('#')[0] === url,
	    'asks for ' + r.url()));
	await page.goto(url);
	for (const complaint of await page.evaluate(misplaced))
		check(false, `${width} ${scheme}: ${complaint}`);
	await page.screenshot({ path: `${file}-${width}-${scheme}.png` });
}

// Searches for the name, and zooms to the box that it finds.
async function check_search(page) {
	page.on('dialog', (d) => d.accept(name));
	await page.locator('#search').click();
	const hits = page.locator('.hit');
	const n = await hits.count();
	const status = await page.locator('#status').textContent();
	check(n > 0 && status.startsWith(`${n} found`), `${n} hits: ${status}`);
	if (n === 0)
		return;
	await hits.first().click();
	check(await hits.first().locator('text').textContent() === name,
	    'the box that was zoomed does not show its name');
	for (const complaint of await page.evaluate(misplaced))
		check(false, `zoomed: ${complaint}`);
	await page.screenshot({ path: `${file}-zoomed.png` });
	await page.keyboard.press('Escape');
	check(await page.locator('.hit').count() === 0, 'Escape keeps the hits');
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
try {
	for (const width of [800, 1600])
		for (const colorScheme of ['light', 'dark']) {
			const page = await browser.newPage({ colorScheme,
			    viewport: { width, height: 800 } });
			await check_page(page, width, colorScheme);
			if (name && width === 1600 && colorScheme === 'light')
				await check_search(page);
			await page.close();
		}
} catch (e) {
	complaints.push(e.message);
} finally {
	await browser.close();
}
for (const complaint of complaints)
	console.error(`${basename(file)}: ${complaint}`);
if (complaints.length === 0)
	console.log(`${basename(file)}: no text overlaps` +
	    (name ? `, ${name} is found` : ''));
process.exitCode = complaints.length > 0 ? 1 : 0;
