import sharp from 'sharp';

import type { Area } from '../editor';

/* Frames of an animation: a picture, a caption below it, and marks that guide the eye. */

export interface Frame {
	/** A PNG; all have the same size. */
	picture: Buffer;
	caption: string;
	ms: number;
	/** How much is done, from 0 to 1: a bar above the caption. */
	done: number;
	/** Where the pointer is, in pixels of the picture. */
	pointer?: Area | undefined;
	/** What to look at. */
	ring?: Area | undefined;
}

const captionHeight = 56;

/** Writes a GIF that repeats without end. */
export async function writeAnimation(file: string, frames: Frame[]): Promise<void> {
	const pictures = await Promise.all(frames.map(draw));
	await sharp(pictures, { join: { animated: true } })
		.gif({ delay: frames.map(({ ms }) => ms), loop: 0, colours: 128, dither: 0, effort: 10 })
		.toFile(file);
}

async function draw({ picture, caption, done, pointer, ring }: Frame): Promise<Buffer> {
	const { width, height } = await sharp(picture).metadata();
	const marks = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + captionHeight}">
		<rect y="${height}" width="${width}" height="${captionHeight}" fill="#1c2333"/>
		<rect y="${height}" width="${width * done}" height="6" fill="#4f8cff"/>
		<text x="${width / 2}" y="${height + 38}" fill="#fff" text-anchor="middle" font-family="Inter, DejaVu Sans, sans-serif"
			font-size="22">${escapeXml(caption)}</text>
		${ring ? ringAround(ring) : ''}
		${pointer ? pointerOn(pointer) : ''}
	</svg>`;
	return await sharp(picture)
		.extend({ bottom: captionHeight, background: '#1c2333' })
		.composite([{ input: Buffer.from(marks) }])
		.png()
		.toBuffer();
}

const ringAround = ({ x, y, width, height }: Area) =>
	`<rect x="${x - 4}" y="${y - 4}" width="${width + 8}" height="${height + 8}" rx="8" fill="none" stroke="#2f6fed" stroke-width="4"/>`;

const pointerOn = ({ x, y, width, height }: Area) =>
	`<path transform="translate(${x + width / 2} ${y + height / 2}) scale(1.6)" d="M0 0v17l4-4 2.6 6 2.6-1.1-2.6-6H12z"
		fill="#111" stroke="#fff" stroke-width="1.2"/>`;

const escapeXml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
