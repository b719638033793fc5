import type { Locator, Page } from 'playwright-core';

/* What a picture has in addition to the page. Scripts set the styles, because the pages of questions accept no other styles. */

/** Draws a number in a circle beside an element. */
export async function drawNumber(number: number, element: Locator, side: 'left' | 'right'): Promise<void> {
	const drawn = { number, side, size: 24, distance: 6 };
	await element.evaluate((target, { number, side, size, distance }) => {
		const { left, right, top, height } = target.getBoundingClientRect();
		const circle = target.ownerDocument.createElement('div');
		circle.textContent = String(number);
		Object.assign(circle.style, {
			position: 'fixed',
			zIndex: '99999',
			left: `${side === 'left' ? left - distance - size : right + distance}px`,
			top: `${top + (height - size) / 2}px`,
			width: `${size}px`,
			borderRadius: '50%',
			background: '#2f6fed',
			color: '#fff',
			font: `bold 15px/${size}px Inter, sans-serif`,
			textAlign: 'center',
		});
		target.ownerDocument.body.append(circle);
	}, drawn);
}

/** Draws the bar of a browser above a page. */
export async function drawAddressBar(page: Page, address: string): Promise<void> {
	await page.locator('html').evaluate((html, shown) => {
		const bar = html.ownerDocument.createElement('div');
		const field = html.ownerDocument.createElement('div');
		field.textContent = shown;
		Object.assign(bar.style, { padding: '9px 12px', background: '#dfe3ea' });
		Object.assign(field.style, {
			borderRadius: '18px',
			background: '#fff',
			color: '#3c4351',
			font: '16px/36px sans-serif',
			textAlign: 'center',
		});
		bar.append(field);
		html.prepend(bar);
	}, address);
}
