/* Text of a file that was read in another encoding than it has. No one can restore it, so it must replace nothing. */

/** The first bytes of Latin and of Cyrillic letters in UTF-16. */
const bytesOfUtf16 = ['\0', '\u0004'];

/** Bytes that became U+FFFD, or letters of two bytes, dashes and emoji of UTF-8 that were read as Latin or as Windows-1251. */
const ofUtf8 =
	/\ufffd{2}|(?:[ÐÑ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]\s*){2}|(?:[РС][\u00a0-\u00bfЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—™љ›њќћџЎўЈҐЁЄЇІіґё№єјЅѕї]){3}|ð[\u009fŸ]|â[\u0080€]|вЂ/;

const range = (from: number, count: number) =>
	String.fromCharCode(...Array.from({ length: count }, (_, index) => from + index));

const [capitals, small] = [range(0x410, 32), range(0x430, 32)];
const koi8 = 'юабцдефгхийклмнопярстужвьызшэщчъ';
const symbols = 'ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u0098™љ›њќћџ\u00a0ЎўЈ¤Ґ¦§Ё©Є«¬\u00ad®Ї';

/**
 * Encodings of Cyrillic letters, of which each letter became another one: words of such letters, as no language writes them, and the
 * letters that they were.
 */
const others: Array<{ words: RegExp; sign?: RegExp; read: string; written: string }> = [
	// Windows-1251 as Latin-1.
	{
		words: /(?<![A-Za-z\u00c0-\u00ff])[\u00c0-\u00ff¸¨]{3,}(?![A-Za-z\u00c0-\u00ff])/g,
		read: `${range(0xc0, 64)}¸¨`,
		written: `${capitals}${small}ёЁ`,
	},
	// KOI8-R as Windows-1251: capitals and small letters are exchanged.
	{
		words: /(?<![А-яЁё])[а-яі][А-ЯЈ]{2,}(?![А-яЁё])/g,
		read: `${capitals}${small}Јі`,
		written: `${koi8}${koi8.toUpperCase()}ёЁ`,
	},
	// CP866, the encoding of MS-DOS, as Windows-1251.
	{
		words: new RegExp(`[${symbols}а-п]{3,}`, 'g'),
		// No language has these within a word.
		sign: /[†‡€‰¤¦§©¬®]/,
		read: `${symbols}${small.slice(0, 16)}`,
		written: `${capitals}${small}`,
	},
];

/** Letters from the most frequent one in Russian to the least. */
const frequent = 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё';

/** How rare the letters of a text are on average, from 0. */
function rarityOf(letters: string): number {
	const ranks = [...letters.toLowerCase()].map((letter) => frequent.indexOf(letter));
	return ranks.reduce((sum, rank) => sum + (rank < 0 ? frequent.length : rank), 0) / ranks.length;
}

const isWord = /^[А-ЯЁ]?[а-яё]{2,}$/;

/** Whether words are Russian in another encoding, and are not as they stand. */
function isOtherwiseRussian(text: string, { words, sign, read, written }: (typeof others)[number]): boolean {
	const decoded = (word: string) => word.replace(/[^]/g, (letter) => written[read.indexOf(letter)] ?? letter);
	const signed = (text.match(words) ?? []).filter((word) => !sign || sign.test(word));
	const found = signed.filter((word) => isWord.test(decoded(word))).join('');
	if (found.length < 4 || new Set(found).size < 3) return false;
	const rarity = rarityOf(decoded(found));
	// A few words that somebody has typed with Caps Lock can have rare letters.
	return rarity < 12 && rarity + (found.length < 20 ? 4 : 2) < rarityOf(found);
}

/** Whether something shows that a text was misread. */
export const isMisread = (text: string): boolean =>
	ofUtf8.test(text) ||
	bytesOfUtf16.some((byte) => text.includes(byte)) ||
	others.some((encoding) => isOtherwiseRussian(text, encoding));
