import { DomUtils, parseDocument } from 'htmlparser2';

import type { OpenQuestion } from '../../nodes/ChatbotService/ask/openQuestion';
import * as pages from '../../nodes/ChatbotService/ask/response';
import { pageWordsFor } from '../../nodes/ChatbotService/ask/words';
import { rows } from './tableRows';

/* What a person sees who opens the link of a question, and what counts as an answer. Anybody who has the link can send anything. */

const id = '0b5c5d0e-6a54-4a7b-9a57-1d2f0c3e4b5a';
const text = 'Анна просит скидку 10 %.\nДать?';

const questionWith = (form: OpenQuestion['form']): OpenQuestion => ({
	...{ id, title: 'Скидка', text, description: 'Анна узнает ответ сразу.', form },
});
const twoButtons = questionWith({ type: 'approval', approve: 'Дать', decline: 'Отказать' });
const oneButton = questionWith({ type: 'approval', approve: 'Дать', decline: undefined });
const aText = questionWith({ type: 'freeText', submit: 'Отправить' });
const questions = { 'one button': oneButton, 'two buttons': twoButtons, 'a text': aText };
const forms = Object.entries(questions);

const words = pageWordsFor();

const ask = (
	question: OpenQuestion | undefined,
	request: Partial<Parameters<typeof pages.respond>[0]> = {},
) => pages.respond({ method: 'GET', id, body: undefined, words, ...request }, question);
const post = (question: OpenQuestion | undefined, body: unknown, more = {}) =>
	ask(question, { method: 'POST', body, ...more });

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
	...['title', 'h1'].map((name) => [name, title]),
	...[text, description].map((each) => ['p', each]),
];
const controlsOf = ({ form }: OpenQuestion) =>
	(form.type === 'freeText' ? [form.submit] : [form.approve, form.decline])
		.filter((label) => label !== undefined)
		.map((label) => ['button', label]);
const thanks = ['p', 'Thank you. Your answer was received. You can close this page.'];

describe('the page of a question', () => {
	// Messengers open links by themselves to show a preview.
	test.each(forms)('with %s answers nothing when it is opened', (_, open) => {
		for (const method of ['GET', 'HEAD', 'PUT', 'post', ''])
			for (const body of [undefined, { answer: 'approve' }, { text: 'Да' }]) {
				const { html, ...rest } = ask(open, { method, body });
				expect(rest).toEqual({ status: 200 });
				expect(shownOn(html)).toEqual([...questionOf(open), ...controlsOf(open)]);
			}
	});

	test('needs no heading and no description', () => {
		const { html } = ask({ ...oneButton, title: '', description: '' });
		expect(shownOn(html)).toEqual([['title', 'Question'], ['p', text], ...controlsOf(oneButton)]);
	});

	test('sends the button or the text to its own link', () => {
		const controls = (question: OpenQuestion) =>
			builtOf(ask(question).html).filter(([name]) => /form|button|textarea/.test(String(name)));
		expect(controls(twoButtons)).toEqual([
			['form', { method: 'post' }],
			['button', { name: 'answer', value: 'approve' }],
			['button', expect.objectContaining({ name: 'answer', value: 'decline' })],
		]);
		// The question names the field for screen readers.
		const field = { name: 'text', dir: 'auto', required: '', 'aria-labelledby': 'question' };
		expect(controls(aText).slice(1)).toEqual([
			['textarea', expect.objectContaining(field)],
			['button', {}],
		]);
	});
});

const other = '7f7e2a52-1c0a-4a53-8a45-0d8a5b9d2c11';

test.each<[unknown, Array<OpenQuestion | undefined>]>([
	...rows([undefined, other, [id]], Object.values(questions)),
	...rows([undefined, id], [undefined]),
])('a link with the ID %j leads nowhere', (requestId, kept) => {
	for (const question of kept)
		for (const request of [{}, { method: 'POST', body: { answer: 'approve', text: 'Да' } }]) {
			const { html, ...rest } = ask(question, { ...request, id: requestId });
			expect(rest).toEqual({ status: 410 });
			expect(shownOn(html).slice(1)).toEqual([
				['h1', 'This question is closed'],
				['p', 'It was answered already, or a newer question has replaced it.'],
			]);
		}
});

test.each<[string, unknown]>([
	['nothing', undefined],
	['fields that occur twice', { answer: ['approve', 'approve'], text: ['Да', 'Да'] }],
	['a prototype in JSON', JSON.parse('{"__proto__":{"answer":"approve","text":"Да"}}')],
	['no button, and blanks', { answer: 'constructor', text: ' \u00a0\ufeff\r\n' }],
])('the question is shown again after %s', (_, body) => {
	for (const question of Object.values(questions)) {
		const isText = question.form.type === 'freeText';
		const note = isText ? 'empty. Enter a text.' : 'was not received. Select a button.';
		const { html, ...rest } = post(question, body);
		expect(rest).toEqual({ status: 400 });
		const noted = ['p', expect.stringContaining(note)];
		expect(shownOn(html)).toEqual([...questionOf(question), noted, ...controlsOf(question)]);
	}
});

describe('an answer', () => {
	const received = { text: 'Да,\n\tно\nзавтра' };

	test.each<[keyof typeof questions, object, answer: object, shown: string]>([
		['one button', { answer: 'approve', text: 'лишнее' }, { approved: true }, 'Дать'],
		['two buttons', { answer: 'decline' }, { approved: false }, 'Отказать'],
		['a text', { text: 'Да', answer: 'decline' }, { text: 'Да' }, 'Да'],
		['a text', { text: '  Да,\r\n\tно\rзавтра \n' }, received, received.text],
		['a text', { text: ` ${'а'.repeat(10_000)}\r\n` }, { text: 'а'.repeat(10_000) }, 'а'.repeat(10_000)],
	])('to %s is received, and repeated', (name, body, answer, shown) => {
		const { html, ...rest } = post(questions[name], body);
		expect(rest).toEqual({ status: 200, answer: { ...answer, question: text } });
		expect(shownOn(html)).toEqual([...questionOf(questions[name]), ['p', shown], thanks]);
	});

	test.each<[keyof typeof questions, object]>([
		['one button', { answer: 'decline' }],
		['a text', { answer: 'approve' }],
		['two buttons', { text: 'approve' }],
	])('to %s is one that it offers, not %j', (name, body) => {
		expect(post(questions[name], body).answer).toBeUndefined();
	});
});

/** Each page that the node can show. */
const allPages = (words: ReturnType<typeof pageWordsFor>, text: OpenQuestion) => [
	...[aText, oneButton, twoButtons, text, undefined].map((question) => ask(question, { words })),
	...[{ text: '' }, { text: 'а'.repeat(10_001) }, { text: 'Да' }].map((body) => post(text, body, { words })),
	...[undefined, { answer: 'approve' }].map((body) => post(twoButtons, body, { words })),
	pages.notShown(words),
];

test.each<[string | undefined, string]>([
	...rows(['ru', 'ru-BY,ru;q=0.9,en-US;q=0.8,en;q=0.7', 'kk-KZ, kk;q=0.9, ru;q=0.8, en;q=0.7'], 'ru'),
	...rows([undefined, '', '*', 'de-DE,de;q=0.9', 'en-GB,en;q=0.9,ru;q=0.8'], 'en'),
])('a browser that asks for %j gets plain pages in %s', (accepted, language) => {
	for (const { html } of allPages(pageWordsFor(accepted), { ...aText, title: '' })) {
		expect(html).toContain(`<!doctype html>\n<html lang="${language}">\n<head>\n<meta charset="utf-8">`);
		if (language === 'ru') for (const [, shown] of shownOn(html)) expect(shown).not.toMatch(/[a-z]/i);
		// They fit a phone, run no script, and load nothing.
		expect(html).toContain('content="width=device-width, initial-scale=1"');
		for (const [name, attributes] of builtOf(html)) {
			expect(name).toMatch(/^(html|head|meta|title|style|body|main|h1|p|form|textarea|button)$/);
			expect(Object.keys(attributes).join(' ')).not.toMatch(/\b(on\w+|style|action|src|href)\b/);
		}
		expect(html).not.toMatch(/https?:|url\(|@import|javascript:/i);
	}
});

const difficult = [
	...['<script>alert(1)</script>', '</textarea><script>', '</title><h1>', '<!--', '&amp;', "$& $1 $' $`"],
	...['" onfocus="alert(1)" autofocus="', "' onclick='alert(1)", '{{ $json.имя }}', '👩🏽‍🚀', '\ud83d', '\n'],
];

test.each(difficult)('the text of others stays a text: %j', (hard) => {
	const [label, shown] = [`а${hard}б`, (page: { html: string }) => [builtOf(page.html), shownOn(page.html)]];
	const all = { id, title: label, text: label, description: label };
	const buttons: OpenQuestion = { ...all, form: { type: 'approval', approve: label, decline: label } };
	const field: OpenQuestion = { ...all, form: { type: 'freeText', submit: label } };
	const [asked, long] = [questionOf(buttons), `${label}${'а'.repeat(10_000)}`];
	const built = (page: { html: string }) => builtOf(page.html);
	expect(shown(ask(buttons))).toEqual([built(ask(twoButtons)), [...asked, ...controlsOf(buttons)]]);
	expect(shown(ask(field))).toEqual([built(ask(aText)), [...asked, ...controlsOf(field)]]);
	const [declined, received] = [{ answer: 'decline' }, [...asked, ['p', label], thanks]];
	expect(shown(post(buttons, declined))).toEqual([built(post(twoButtons, declined)), received]);
	const note = ['p', 'Your answer is too long. Shorten it to 10000 characters.'];
	const again = [...asked, note, ['textarea', long], ['button', label]];
	expect(shown(post(field, { text: long }))).toEqual([built(post(aText, { text: long })), again]);
});
