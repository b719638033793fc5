import fc from 'fast-check';

/** Any code point except half an emoji. fast-check's own unit 'binary' takes a second to set up. */
export const codePoint = fc
	.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
	.map((point) => String.fromCodePoint(point));
