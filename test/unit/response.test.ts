import fc from 'fast-check';
import { DomUtils, parseDocument } from 'htmlparser2';

import type { Asked } from '../../nodes/ChatbotService/ask/asking';
import { escaped, pageHeaders } from '../../nodes/ChatbotService/ask/page';
import {
	answeredAlready,
	isFirstAnswer,
	notShown,
	respond,
	type PageRequest,
} from '../../nodes/ChatbotService/ask/response';

const id = '0b5c5d0e-6a54-4a7b-9a57-1d2f0c3e4b5a';

const approval: Asked = {
	id,
	title: 'Скидка',
	text: 'Анна просит скидку 10 %.\nДать?',
	description: 'Анна узнает ответ сразу.',
	form: { type: 'approval', approve: 'Дать', decline: 'Отказать' },
};
const approveOnly: Asked = { ...approval, form: { type: 'approval', approve: 'Дать', decline: undefined } };
const freeText: Asked = { ...approval, form: { type: 'freeText', submit: 'Отправить' } };

const forms: Array<[string, Asked]> = [
	['one button', approveOnly],
	['two buttons', approval],
	['a text', freeText],
];

const ask = (asked: Asked | undefined, request: Partial<PageRequest> = {}) =>
	respond({ method: 'GET', id, body: undefined, ...request }, asked);

const post = (asked: Asked | undefined, body: unknown) => ask(asked, { method: 'POST', body });

type Shown = [name: string, attributes: Record<string, string>, text: string];

/** The text of an element itself, as browsers read it. */
function textOf({ name, children }: ReturnType<typeof elementsIn>[number]): string {
	const text = children.map((child) => ('data' in child ? child.data : '')).join('');
	if (name !== 'textarea') return text;
	// The parser decodes no entities here.
	return DomUtils.textContent(parseDocument(text));
}

const elementsIn = (html: string, within: string) => {
	const [found] = DomUtils.getElementsByTagName(within, parseDocument(html));
	return DomUtils.getElementsByTagName('*', found!.children);
};

/** All elements in a part of a page, in their order, without what only changes their looks. */
const shownIn = (html: string, within: string): Shown[] =>
	elementsIn(html, within).map((element) => {
		const { class: _class, rows: _rows, ...attributes } = element.attribs;
		return [element.name, attributes, textOf(element).replace(/^\n+$/, '')];
	});

const headOf = (html: string) => shownIn(html, 'head');
const bodyOf = (html: string) => shownIn(html, 'body');
const titleOf = (html: string) => headOf(html).find(([name]) => name === 'title')?.[2];

const questionIn = ({ title, text, description }: Asked): Shown[] => [
	['main', {}, ''],
	...(title ? [['h1', { dir: 'auto' }, title] satisfies Shown] : []),
	['p', { id: 'question', dir: 'auto' }, text],
	...(description ? [['p', { dir: 'auto' }, description] satisfies Shown] : []),
];

const formIn = ({ form }: Asked, text: string): Shown[] => {
	const start: Shown = ['form', { method: 'post' }, ''];
	if (form.type === 'freeText') {
		const accessible = { required: '', dir: 'auto', 'aria-labelledby': 'question' };
		return [start, ['textarea', { name: 'text', ...accessible }, text], ['button', {}, form.submit]];
	}
	const approve: Shown = ['button', { name: 'answer', value: 'approve' }, form.approve];
	if (form.decline === undefined) return [start, approve];
	return [start, approve, ['button', { name: 'answer', value: 'decline' }, form.decline]];
};

/** Everything on the page of a question. */
const pageOf = (asked: Asked, { note, text = '' }: { note?: string; text?: string } = {}): Shown[] => [
	...questionIn(asked),
	...(note ? [['p', { role: 'alert' }, note] satisfies Shown] : []),
	...formIn(asked, text),
];

/** Everything on the page after an answer. */
const thanksFor = (asked: Asked, words: string): Shown[] => [
	...questionIn(asked),
	['p', { dir: 'auto' }, words],
	['p', {}, 'Thank you. Your answer was received. You can close this page.'],
];

const closed = (heading: string, text: string): Shown[] => [
	['main', {}, ''],
	['h1', {}, heading],
	['p', {}, text],
];

describe.each(forms)('the page of a question that is answered with %s', (_, asked) => {
	test.each(['GET', 'HEAD', 'PUT', 'post', ''])('is only shown by %j, even with an answer', (method) => {
		for (const body of [undefined, {}, { answer: 'approve' }, { answer: 'decline' }, { text: 'Да' }]) {
			const { html, ...rest } = ask(asked, { method, body });
			expect(rest).toEqual({ status: 200 });
			expect(bodyOf(html)).toEqual(pageOf(asked));
		}
	});

	test('has no heading and no description if the question has none', () => {
		const bare = { ...asked, title: '', description: '' };
		const { html } = ask(bare);
		expect(bodyOf(html)).toEqual(pageOf(bare));
		expect([titleOf(html), titleOf(ask(asked).html)]).toEqual(['Question', 'Скидка']);
	});
});

describe('a link', () => {
	const others: Array<[string, unknown]> = [
		['without an ID', undefined],
		['with null', null],
		['with an empty ID', ''],
		['of another question', '7f7e2a52-1c0a-4a53-8a45-0d8a5b9d2c11'],
		['with the ID in capitals', id.toUpperCase()],
		['with a blank after the ID', `${id} `],
		['with the ID twice', [id, id]],
		['with the ID in a list', [id]],
		['with an object', { toString: () => id }],
		['with a number', 0],
		['with a boolean', true],
	];
	const requests: Array<Partial<PageRequest>> = [
		{ method: 'GET' },
		{ method: 'HEAD' },
		{ method: 'POST', body: { answer: 'approve' } },
		{ method: 'POST', body: { text: 'Да' } },
	];

	function expectStale(asked: Asked | undefined, requestId: unknown) {
		for (const request of requests) {
			const { html, ...rest } = ask(asked, { ...request, id: requestId });
			expect(rest).toEqual({ status: 410 });
			expect(titleOf(html)).toBe('This question is closed');
			expect(bodyOf(html)).toEqual(
				closed('This question is closed', 'It was answered already, or a newer question has replaced it.'),
			);
		}
	}

	test.each(others)('%s neither shows nor answers the question', (_, requestId) => {
		for (const [, asked] of forms) expectStale(asked, requestId);
	});

	test.each<[string, unknown]>([['with an ID', id], ...others])(
		'%s shows nothing if there is no question',
		(_, requestId) => expectStale(undefined, requestId),
	);
});

/** Bodies of requests without an answer. */
const unanswered: Array<[string, unknown]> = [
	['no body', undefined],
	['null', null],
	['an empty object', {}],
	['an empty text', ''],
	['a text', 'answer=approve'],
	['a number', 5],
	['a boolean', true],
	['an empty list', []],
	['a list', [{ answer: 'approve', text: 'Да' }]],
	['a list with fields', Object.assign([], { answer: 'approve', text: 'Да' })],
	['bytes', Buffer.from('answer=approve&text=Да')],
	['fields of another form', { data: { answer: 'approve', text: 'Да' } }],
	['fields that occur twice', { answer: ['approve', 'approve'], text: ['Да', 'Да'] }],
	['fields with objects', { answer: { approve: 'approve' }, text: { trim: 'Да' } }],
	['fields that say true', { answer: true, text: true, approved: true }],
	['fields with null', { answer: null, text: null }],
	['fields in capitals', { Answer: 'approve', Text: 'Да' }],
	['a prototype in JSON', JSON.parse('{"__proto__":{"answer":"approve","text":"Да"}}')],
	[
		'names of every object in JSON',
		JSON.parse('{"constructor":{"prototype":{"answer":"approve","text":"Да"}},"toString":"approve"}'),
	],
];

describe.each<[string, Asked, string]>([
	['one button', approveOnly, 'Your answer was not received. Press a button.'],
	['two buttons', approval, 'Your answer was not received. Press a button.'],
	['a text', freeText, 'Your answer is empty. Enter a text.'],
])('a question that is answered with %s', (_, asked, note) => {
	test.each(unanswered)('is shown again, with a note, after %s', (_body, body) => {
		const { html, ...rest } = post(asked, body);
		expect(rest).toEqual({ status: 400 });
		expect(bodyOf(html)).toEqual(pageOf(asked, { note }));
	});

	test('is shown again whatever JSON is sent instead of an answer', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (body) => {
				expect(post(asked, body)).toEqual(post(asked, undefined));
			}),
		);
	});
});

describe('an answer by a button', () => {
	test.each([
		'',
		' ',
		'APPROVE',
		' approve',
		'approved',
		'true',
		'1',
		'Дать',
		'Отказать',
		'constructor',
		'__proto__',
		'toString',
	])('must be one of those offered, not %j', (answer) => {
		for (const asked of [approveOnly, approval]) expect(post(asked, { answer })).toEqual(post(asked, {}));
	});

	test('does not decline if only an approval is offered', () => {
		expect(post(approveOnly, { answer: 'decline' })).toEqual(post(approveOnly, {}));
	});

	test.each<[string, Asked, string, boolean, string]>([
		['the only button', approveOnly, 'approve', true, 'Дать'],
		['the first button', approval, 'approve', true, 'Дать'],
		['the second button', approval, 'decline', false, 'Отказать'],
	])('by %s is received, and repeated on the page', (_, asked, answer, approved, words) => {
		const { html, ...rest } = post(asked, { answer, text: 'лишнее' });
		expect(rest).toEqual({ status: 200, answer: { approved } });
		expect(bodyOf(html)).toEqual(thanksFor(asked, words));
		expect(titleOf(html)).toBe('Скидка');
	});

	test('says thank you in the title if the question has none', () => {
		const bare = { ...approval, title: '', description: '' };
		const { html } = post(bare, { answer: 'approve' });
		expect(titleOf(html)).toBe('Thank you');
		expect(bodyOf(html)).toEqual(thanksFor(bare, 'Дать'));
	});
});

describe('an answer by a text', () => {
	function expectReceived(text: string, words: string) {
		const { html, ...rest } = post(freeText, { text, answer: 'approve' });
		expect(rest).toEqual({ status: 200, answer: { text: words } });
		expect(bodyOf(html)).toEqual(thanksFor(freeText, words));
	}

	test.each([
		['Да', 'Да'],
		['  Да,\tно позже \n', 'Да,\tно позже'],
		['раз\r\nдва\rтри\nчетыре\r\n', 'раз\nдва\nтри\nчетыре'],
		['раз\r\n\r\nдва', 'раз\n\nдва'],
		['раз\r\rдва', 'раз\n\nдва'],
		['\r\r 0 ', '0'],
	])('%j is received without surrounding blanks, with Unix line breaks', expectReceived);

	test('of 10,000 characters is received, not counting removed characters', () => {
		expectReceived('а'.repeat(10_000), 'а'.repeat(10_000));
		expectReceived(`  ${'а'.repeat(10_000)} \n`, 'а'.repeat(10_000));
		expectReceived(`\r\n${'а\r\n'.repeat(4999)}бв`, `${'а\n'.repeat(4999)}бв`);
	});

	test.each(['', ' ', '\r\n', '\n\t\r', '\u00a0\ufeff\u3000'])('%j is not an answer', (text) => {
		expect(post(freeText, { text })).toEqual(post(freeText, {}));
	});

	test.each([10_001, 5 * 2 ** 20])('of %d characters is too long, and the form shows it again', (length) => {
		const text = 'а'.repeat(length);
		const { html, ...rest } = post(freeText, { text: `${text}\r\n` });
		expect(rest).toEqual({ status: 400 });
		expect(bodyOf(html)).toEqual(
			pageOf(freeText, { note: 'Your answer is too long. Shorten it to 10000 characters.', text }),
		);
	});

	test('does not approve', () => {
		expect(post(freeText, { answer: 'approve' }).answer).toBeUndefined();
		expect(post(approval, { text: 'approve' }).answer).toBeUndefined();
	});
});

test('a question that is answered already, or cannot be shown, says so without an answer', () => {
	for (const [{ html, ...rest }, status, heading, text] of [
		[
			answeredAlready,
			409,
			'This question is already answered',
			'Only the first answer counts. You can close this page.',
		],
		[notShown, 500, 'This page cannot be shown', 'Your answer was not received. Open the link again later.'],
	] as const) {
		expect(rest).toEqual({ status });
		expect(titleOf(html)).toBe(heading);
		expect(bodyOf(html)).toEqual(closed(heading, text));
	}
});

describe('texts of others', () => {
	const difficult = [
		'<script>alert(1)</script>',
		'<img src=x onerror=alert(1)>',
		'</textarea><script>',
		'</title><h1>',
		'</p></form></main></body></html>',
		'<!--',
		'-->',
		'<![CDATA[',
		']]>',
		'<style>*{display:none}</style>',
		'" onfocus="alert(1)" autofocus="',
		"' onclick='alert(1)",
		'&',
		'&amp;',
		'&lt',
		'&#39;',
		'&quot;',
		'{{ $json.имя }}',
		'${1}',
		"$& $1 $' $`",
		'javascript:alert(1)',
		'https://example.com/?a=1&copy=2',
		'👩🏽‍🚀🇷🇺',
		'مرحبا',
		'\u202eонавонс\u202c',
		'\ud83d',
		'`',
		'\n',
		'\t',
		'  ',
	];
	const words = fc
		.array(fc.oneof(fc.constantFrom(...difficult), fc.string({ unit: 'grapheme' }), fc.string()), {
			minLength: 1,
			maxLength: 6,
		})
		.map((parts) => parts.join('').trim())
		.filter((text) => text !== '');
	const optional = fc.oneof(fc.constant(''), words);
	const form: fc.Arbitrary<Asked['form']> = fc.oneof(
		fc.record({
			type: fc.constant('approval' as const),
			approve: words,
			decline: fc.oneof(fc.constant(undefined), words),
		}),
		fc.record({ type: fc.constant('freeText' as const), submit: words }),
	);
	const questions: fc.Arbitrary<Asked> = fc.record({
		id: fc.constant(id),
		title: optional,
		text: words,
		description: optional,
		form,
	});

	test.each(difficult.map((text) => text.trim()).filter(Boolean))(
		'%j stays a text wherever it is',
		(text) => {
			const written = { id, title: text, text, description: text };
			const buttons: Asked = { ...written, form: { type: 'approval', approve: text, decline: text } };
			const field: Asked = { ...written, form: { type: 'freeText', submit: text } };
			for (const asked of [buttons, field]) {
				expect(bodyOf(ask(asked).html)).toEqual(pageOf(asked));
				expect(titleOf(ask(asked).html)).toBe(text);
			}
			for (const answer of ['approve', 'decline'])
				expect(bodyOf(post(buttons, { answer }).html)).toEqual(thanksFor(buttons, text));
			expect(bodyOf(post(field, { text }).html)).toEqual(thanksFor(field, text));
			const long = `${text}${'а'.repeat(10_000)}!`;
			expect(bodyOf(post(field, { text: long }).html)).toEqual(
				pageOf(field, { note: expect.any(String), text: long }),
			);
		},
	);

	test('stay texts on every page, and add no element', () => {
		fc.assert(
			fc.property(questions, words, (asked, text) => {
				const { html } = ask(asked);
				expect(bodyOf(html)).toEqual(pageOf(asked));
				expect(titleOf(html)).toBe(asked.title || 'Question');
				const { form } = asked;
				if (form.type === 'freeText') {
					expect(post(asked, { text }).answer).toEqual({ text });
					expect(bodyOf(post(asked, { text }).html)).toEqual(thanksFor(asked, text));
				} else {
					const answered = post(asked, { answer: 'approve' });
					expect(bodyOf(answered.html)).toEqual(thanksFor(asked, form.approve));
				}
			}),
			{ numRuns: 100 },
		);
	});

	test('are escaped in every character that has a meaning in HTML', () => {
		expect(escaped(`<a href="b" title='c'>&amp;</a>`)).toBe(
			'&lt;a href=&quot;b&quot; title=&#39;c&#39;&gt;&amp;amp;&lt;/a&gt;',
		);
	});
});

describe('every page', () => {
	const pages: Array<[string, string]> = [
		...forms.map(([title, asked]): [string, string] => [`of a question with ${title}`, ask(asked).html]),
		['after an answer', post(approval, { answer: 'approve' }).html],
		['after a request without an answer', post(freeText, {}).html],
		['of a closed question', ask(undefined).html],
		['of a question that is answered already', answeredAlready.html],
		['that cannot be shown', notShown.html],
	];

	test.each(pages)('%s has a head for phones, and for light and dark', (_, html) => {
		expect(html).toMatch(/^<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">/);
		expect(headOf(html)).toEqual([
			['meta', { charset: 'utf-8' }, ''],
			['meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }, ''],
			['meta', { name: 'robots', content: 'noindex, nofollow' }, ''],
			['meta', { name: 'color-scheme', content: 'light dark' }, ''],
			['title', {}, expect.stringMatching(/./)],
			['style', {}, expect.stringContaining('@media (prefers-color-scheme: dark)')],
		]);
	});

	test.each(pages)('%s runs no script and loads nothing', (_, html) => {
		const elements = [...headOf(html), ...bodyOf(html)];
		const names = elements.map(([name]) => name);
		for (const name of ['script', 'link', 'img', 'iframe', 'object', 'embed', 'svg', 'base', 'a'])
			expect(names).not.toContain(name);
		const attributes = elements.flatMap(([, found]) => Object.entries(found));
		for (const [name, value] of attributes) {
			expect(name).not.toMatch(/^on|^style$|^action$|^src/);
			expect(value).not.toMatch(/\/\//);
		}
		expect(html).not.toMatch(/https?:|url\(|@import|javascript:/i);
	});

	test('is kept by nobody, sends its secret link nowhere, and runs nothing', () => {
		const headers = new Headers(pageHeaders);
		expect(headers.get('cache-control')).toBe('no-store');
		expect(headers.get('referrer-policy')).toBe('no-referrer');
		expect(headers.get('x-content-type-options')).toBe('nosniff');
		const policy = headers.get('content-security-policy')!.split('; ');
		expect(policy).toEqual(
			expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"]),
		);
		// Neither scripts nor an origin that n8n's own pages trust.
		expect(policy).toContain('sandbox allow-forms');
		expect(headers.has('set-cookie')).toBe(false);
	});
});

describe('of several answers', () => {
	let questions = 0;
	const newQuestion = () => `вопрос-${++questions}`;

	test('the first one counts, and for ten seconds no other', () => {
		const question = newQuestion();
		const counts = [5000, 5000, 5001, 15_000, 15_001, 15_002].map((at) => isFirstAnswer(question, at));
		expect(counts).toEqual([true, false, false, false, true, false]);
	});

	test('those to other questions count, too', () => {
		const [one, other] = [newQuestion(), newQuestion()];
		expect([one, other, one, other].map((question) => isFirstAnswer(question, 100_000))).toEqual([
			true,
			true,
			false,
			false,
		]);
	});

	test('the time is that of the process', () => {
		const question = newQuestion();
		const counts = [200_000, 210_000, 210_001].map((at) => {
			jest.spyOn(performance, 'now').mockReturnValue(at);
			return isFirstAnswer(question);
		});
		jest.restoreAllMocks();
		expect(counts).toEqual([true, false, true]);
	});
});
