import fc from 'fast-check';
import { DomUtils, parseDocument } from 'htmlparser2';

import type { OpenQuestion } from '../../nodes/ChatbotService/ask/openQuestion';
import {
	answeredAlready,
	notShown,
	onlyFirst,
	respond,
	type PageRequest,
} from '../../nodes/ChatbotService/ask/response';
import { pageWordsFor } from '../../nodes/ChatbotService/ask/words';

/* What a person sees who opens the link of a question, and what counts as an answer. Anybody who has the link can send anything. */

const id = '0b5c5d0e-6a54-4a7b-9a57-1d2f0c3e4b5a';

const questionWith = (form: OpenQuestion['form']): OpenQuestion => ({
	...{ id, title: 'Скидка' },
	text: 'Анна просит скидку 10 %.\nДать?',
	description: 'Анна узнает ответ сразу.',
	form,
});
const twoButtons = questionWith({ type: 'approval', approve: 'Дать', decline: 'Отказать' });
const oneButton = questionWith({ type: 'approval', approve: 'Дать', decline: undefined });
const aText = questionWith({ type: 'freeText', submit: 'Отправить' });
const questions = { 'one button': oneButton, 'two buttons': twoButtons, 'a text': aText };
const forms = Object.entries(questions);

const words = pageWordsFor();

const ask = (question: OpenQuestion | undefined, request: Partial<PageRequest> = {}) =>
	respond({ method: 'GET', id, body: undefined, words, ...request }, question);
const post = (question: OpenQuestion | undefined, body: unknown) => ask(question, { method: 'POST', body });

const elementsOf = (html: string) => DomUtils.getElementsByTagName('*', parseDocument(html));

/** The text of an element itself, as browsers read it. */
function textOf({ name, children }: ReturnType<typeof elementsOf>[number]): string {
	const text = children.map((child) => ('data' in child ? child.data : '')).join('');
	// The parser decodes no entities here.
	return name === 'textarea' ? DomUtils.textContent(parseDocument(text)) : text;
}

/** All texts on a page with their elements. */
const shownOn = (html: string) =>
	elementsOf(html)
		.filter((element) => element.name !== 'style' && textOf(element).trim())
		.map((element) => [element.name, textOf(element)]);

/** All elements of a page with their attributes, which contain no text of the question. */
const builtOf = (html: string) => elementsOf(html).map(({ name, attribs }) => [name, attribs] as const);

const questionOf = ({ title, text, description }: OpenQuestion) => [
	['title', title],
	['h1', title],
	['p', text],
	['p', description],
];
const controlsOf = ({ form }: OpenQuestion) => {
	if (form.type === 'freeText') return [['button', form.submit]];
	return [form.approve, form.decline].flatMap((label) => (label === undefined ? [] : [['button', label]]));
};
const thanks = ['p', 'Thank you. Your answer was received. You can close this page.'];

describe('the page of a question', () => {
	// Messengers open links by themselves to show a preview.
	test.each(forms)('is only shown when it is opened, even with an answer in the request: %s', (_, open) => {
		for (const method of ['GET', 'HEAD', 'PUT', 'post', '']) {
			for (const body of [undefined, { answer: 'approve' }, { text: 'Да' }]) {
				const { html, ...rest } = ask(open, { method, body });
				expect(rest).toEqual({ status: 200 });
				expect(shownOn(html)).toEqual([...questionOf(open), ...controlsOf(open)]);
			}
		}
	});

	test('has no heading and no description if the question has none', () => {
		const bare = { ...oneButton, title: '', description: '' };
		expect(shownOn(ask(bare).html)).toEqual([
			['title', 'Question'],
			['p', bare.text],
			['button', 'Дать'],
		]);
	});

	test('sends the chosen button or the text to its own link, in any language, and names the field for screen readers', () => {
		const controls = (question: OpenQuestion) =>
			builtOf(ask(question).html).filter(([name]) => /form|button|textarea/.test(String(name)));
		expect(controls(twoButtons)).toEqual([
			['form', { method: 'post' }],
			['button', { name: 'answer', value: 'approve' }],
			['button', expect.objectContaining({ name: 'answer', value: 'decline' })],
		]);
		expect(controls(aText).slice(1)).toEqual([
			[
				'textarea',
				expect.objectContaining({ name: 'text', dir: 'auto', required: '', 'aria-labelledby': 'question' }),
			],
			['button', {}],
		]);
	});
});

const kept: Array<OpenQuestion | undefined> = Object.values(questions);

test.each<[string, unknown, typeof kept]>([
	['without an ID', undefined, kept],
	['of another question', '7f7e2a52-1c0a-4a53-8a45-0d8a5b9d2c11', kept],
	['with the ID in a list', [id], kept],
	['with the right ID, if no question is kept', id, [undefined]],
	['without an ID, if no question is kept', undefined, [undefined]],
])('a link %s neither shows nor answers a question', (_, requestId, all) => {
	for (const question of all) {
		for (const request of [{}, { method: 'POST', body: { answer: 'approve', text: 'Да' } }]) {
			const { html, ...rest } = ask(question, { ...request, id: requestId });
			expect(rest).toEqual({ status: 410 });
			expect(shownOn(html).slice(1)).toEqual([
				['h1', 'This question is closed'],
				['p', 'It was answered already, or a newer question has replaced it.'],
			]);
		}
	}
});

describe('a question is shown again, with a note', () => {
	test.each<[string, unknown]>([
		['nothing', undefined],
		['a text', 'answer=approve'],
		['a list', [{ answer: 'approve', text: 'Да' }]],
		['fields that occur twice', { answer: ['approve', 'approve'], text: ['Да', 'Да'] }],
		['fields that say true', { answer: true, text: true, approved: true }],
		['a prototype in JSON', JSON.parse('{"__proto__":{"answer":"approve","text":"Да"}}')],
		['an answer of no button, and blanks', { answer: 'constructor', text: ' \u00a0\ufeff\r\n' }],
	])('after %s', (_, body) => {
		for (const [, question] of forms) {
			const isText = question.form.type === 'freeText';
			const note = isText ? 'empty. Enter a text.' : 'was not received. Press a button.';
			const { html, ...rest } = post(question, body);
			expect(rest).toEqual({ status: 400 });
			expect(shownOn(html)).toEqual([
				...questionOf(question),
				['p', expect.stringContaining(note)],
				...controlsOf(question),
			]);
		}
	});
});

describe('an answer', () => {
	test.each<[string, keyof typeof questions, object, answer: object, words: string]>([
		['the only button', 'one button', { answer: 'approve', text: 'лишнее' }, { approved: true }, 'Дать'],
		['the first button', 'two buttons', { answer: 'approve' }, { approved: true }, 'Дать'],
		['the second button', 'two buttons', { answer: 'decline' }, { approved: false }, 'Отказать'],
		['a text', 'a text', { text: 'Да', answer: 'decline' }, { text: 'Да' }, 'Да'],
		[
			'a text with blanks and line breaks of Windows',
			'a text',
			{ text: '  Да,\r\n\tно\rзавтра \n' },
			{ text: 'Да,\n\tно\nзавтра' },
			'Да,\n\tно\nзавтра',
		],
	])('by %s is received, and repeated on the page', (_, name, body, answer, words) => {
		const { html, ...rest } = post(questions[name], body);
		expect(rest).toEqual({ status: 200, answer: { ...answer, question: questions[name].text } });
		expect(shownOn(html)).toEqual([...questionOf(questions[name]), ['p', words], thanks]);
	});

	test('declines only if that is offered, and is of the kind that is asked for', () => {
		expect(post(oneButton, { answer: 'decline' }).answer).toBeUndefined();
		expect(post(aText, { answer: 'approve' }).answer).toBeUndefined();
		expect(post(twoButtons, { text: 'approve' }).answer).toBeUndefined();
	});

	test('of 10,000 characters is received, and a longer one is shown again to be shortened', () => {
		const longest = 'а'.repeat(10_000);
		expect(post(aText, { text: `  ${longest}\r\n` }).answer).toMatchObject({ text: longest });
		const { html, ...rest } = post(aText, { text: `${longest}б` });
		expect(rest).toEqual({ status: 400 });
		expect(shownOn(html)).toEqual([
			...questionOf(aText),
			['p', 'Your answer is too long. Shorten it to 10000 characters.'],
			['textarea', `${longest}б`],
			['button', 'Отправить'],
		]);
	});

	test('that comes second within ten seconds does not count, whoever gives it to whatever other question', () => {
		const [approve, decline] = ['approve', 'decline'].map((answer) => post(twoButtons, { answer }));
		const at = (of: string, now: number, response = approve!) => onlyFirst(of, response, words, now);
		expect([at('другой', 4000), at('первый', 5000)]).toEqual([approve, approve]);
		for (const now of [5001, 15_000]) expect(at('первый', now)).toEqual({ status: 200, html: approve!.html });
		expect(at('первый', 15_000, decline)).toEqual(answeredAlready(words));
		// By then n8n has resumed the execution, or could not.
		expect(at('первый', 15_001, decline)).toEqual(decline);
	});
});

test.each([
	['Russian', 'ru'],
	['Russian in Belarus, then English', 'ru-BY,ru;q=0.9,en-US;q=0.8,en;q=0.7'],
	['Kazakh, then Russian', 'kk-KZ, kk;q=0.9, ru;q=0.8, en;q=0.7'],
])('the page speaks Russian to a person whose browser asks for %s', (_, accepted) => {
	const russian = pageWordsFor(accepted);
	const bare = { ...aText, title: '' };
	const pages = [
		ask(bare, { words: russian }),
		...[{ text: '' }, { text: 'а'.repeat(10_001) }, { text: 'Да' }].map((body) =>
			ask(bare, { method: 'POST', body, words: russian }),
		),
		ask(twoButtons, { method: 'POST', words: russian }),
		ask(undefined, { words: russian }),
		answeredAlready(russian),
		notShown(russian),
	];
	for (const { html } of pages) {
		expect(html).toContain('<html lang="ru">');
		for (const [, shown] of shownOn(html)) expect(shown).not.toMatch(/[a-z]/i);
	}
});

test.each([undefined, '', '*', 'de-DE,de;q=0.9', 'en-GB,en;q=0.9,ru;q=0.8'])(
	'the page speaks English to a person whose browser asks for %j',
	(accepted) => {
		expect(ask(oneButton, { words: pageWordsFor(accepted) }).html).toContain('<html lang="en">');
	},
);

describe('texts of others stay texts', () => {
	const difficult = [
		'<script>alert(1)</script>',
		'</textarea><script>',
		'</title><h1>',
		'<!--',
		'" onfocus="alert(1)" autofocus="',
		"' onclick='alert(1)",
		'&amp;',
		"$& $1 $' $`",
		'{{ $json.имя }}',
		'👩🏽‍🚀',
		'\ud83d',
		'\n',
	];
	const text = fc
		.array(fc.oneof(fc.constantFrom(...difficult), fc.string({ unit: 'grapheme' })), {
			minLength: 1,
			maxLength: 6,
		})
		.map((parts) => parts.join('').trim())
		.filter((text) => text !== '');

	const expectTexts = (html: string, plain: string, expected: unknown[]) =>
		expect([builtOf(html), shownOn(html)]).toEqual([builtOf(plain), expected]);

	test('on every page, and add no element or attribute (generated)', () => {
		fc.assert(
			fc.property(text, text, text, text, (title, text, description, label) => {
				const buttons: OpenQuestion = {
					...{ id, title, text, description },
					form: { type: 'approval', approve: label, decline: title },
				};
				const field: OpenQuestion = { ...buttons, form: { type: 'freeText', submit: label } };
				for (const [open, plain] of [
					[buttons, twoButtons],
					[field, aText],
				] as const)
					expectTexts(ask(open).html, ask(plain).html, [...questionOf(open), ...controlsOf(open)]);
				const after = (page: OpenQuestion, body: object) => post(page, body).html;
				expectTexts(after(buttons, { answer: 'decline' }), after(twoButtons, { answer: 'decline' }), [
					...questionOf(buttons),
					...[['p', title], thanks],
				]);
				const long = `${text}${'а'.repeat(10_000)}!`;
				expectTexts(after(field, { text: long }), after(aText, { text: 'а'.repeat(10_001) }), [
					...questionOf(field),
					...[
						['p', expect.any(String)],
						['textarea', long],
						['button', label],
					],
				]);
			}),
		);
	});
});

test.each<[string, string]>([
	...forms.map(([name, question]): [string, string] => [`of a question with ${name}`, ask(question).html]),
	['after an answer', post(twoButtons, { answer: 'approve' }).html],
	['of a closed question', ask(undefined).html],
	['that cannot be shown', notShown(words).html],
])('the page %s fits a phone, runs no script, and loads nothing', (_, html) => {
	expect(html).toMatch(/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/);
	expect(html).toContain('content="width=device-width, initial-scale=1"');
	for (const [name, attributes] of builtOf(html)) {
		expect(name).toMatch(/^(html|head|meta|title|style|body|main|h1|p|form|textarea|button)$/);
		expect(Object.keys(attributes).join(' ')).not.toMatch(/\b(on\w+|style|action|src|href)\b/);
	}
	expect(html).not.toMatch(/https?:|url\(|@import|javascript:/i);
});
