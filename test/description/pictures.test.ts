import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import sharp from 'sharp';

const folder = join(__dirname, '..', '..', 'docs', 'screenshots');
const animation = join(folder, 'broadcast.gif');
const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'));

describe('the animation of a broadcast', () => {
	test('is at most 15 seconds long, 2 MB large and 1,000 pixels wide', async () => {
		const { width, delay, pages } = await sharp(animation, { animated: true }).metadata();
		expect(delay).toHaveLength(pages!);
		expect(pages).toBeGreaterThan(10);
		expect(delay!.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(15_000);
		expect(statSync(animation).size).toBeLessThanOrEqual(2_000_000);
		expect(width).toBeLessThanOrEqual(1_000);
	});

	test('repeats without end', async () => {
		const { loop } = await sharp(animation, { animated: true }).metadata();
		expect(loop).toBe(0);
	});
});

test.each(pictures)('%s is at most 120 KB large and 1,300 pixels wide', async (name) => {
	const file = join(folder, name);
	const { width } = await sharp(file).metadata();
	expect(statSync(file).size).toBeLessThanOrEqual(120_000);
	expect(width).toBeLessThanOrEqual(1_300);
});
