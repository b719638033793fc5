import fc from 'fast-check';

/* For texts and addresses of any characters. fast-check's own unit 'binary', which is in `webUrl` too, takes a second to set up. */

/** Any code point except half an emoji. */
export const codePoint = fc
	.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
	.map((point) => String.fromCodePoint(point));

const encoded = fc
	.string({ unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), codePoint), maxLength: 8 })
	.map(encodeURIComponent);

const joined = (...parts: Array<fc.Arbitrary<string>>) => fc.tuple(...parts).map((each) => each.join(''));
const perhaps = (sign: string) => fc.oneof(fc.constant(''), joined(fc.constant(sign), encoded));

/** Addresses with a path, a query and a fragment. */
export const address = joined(
	fc.constantFrom('http://', 'https://'),
	fc.domain(),
	fc.array(joined(fc.constant('/'), encoded), { maxLength: 3 }).map((parts) => parts.join('')),
	perhaps('?'),
	perhaps('#'),
);
