import type { Browser } from 'playwright-core';

import { severalQuestions } from '../../nodes/ChatbotService/ask/problems';
import { answeredAlready } from '../../nodes/ChatbotService/ask/response';
import { startBrowser } from './editor/browser';
import { chained, itemsNode, manualTrigger, ourNode, type WorkflowData } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
import { wordsOf } from '../operations/words';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';
import {
	answer,
	approval,
	ASK,
	asking,
	askingWorkflow,
	nextLink,
	openPage,
	untilWaiting,
	untilWaits,
	type Waiting,
} from './support/question';
import { unknownBy } from './support/words';

/*
 * Questions to people in a whole n8n: its signature, its database, its waiting executions. What happens when n8n is killed in between
 * is in interrupted.test.ts, with workers in nightly/queue-mode.test.ts, and with AI agents in humanReview.test.ts.
 */

const bench = duringTests(openBench);

const { telegram: manager, viber: second, max: third } = SEEDED.contacts;
const contactId = String(manager);

/** Stores a workflow that asks the manager, and starts it. */
async function ask(parameters: Record<string, unknown> = {}, settings?: object) {
	const node = asking({ contactId, ...parameters }, settings);
	const { id } = await bench.api.createWorkflow(askingWorkflow(node, bench.credential));
	return await untilWaiting(bench, id);
}

/** A question that nobody answers. n8n looks for expired ones once a minute, so the other tests run in between. */
let limited: Waiting;
beforeAll(async () => {
	const values = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };
	limited = await ask({ options: { limitWaitTime: { values } } }, { onError: 'continueErrorOutput' });
});

const ended = async (executionId: string) => await bench.api.waitForExecution(executionId);
const isWaiting = async (executionId: string) => (await bench.api.statusOf(executionId)) === 'waiting';
const outputOf = async (executionId: string) => (await ended(executionId)).output(ASK);

describe('an answer continues the workflow, and becomes its output, linked to the input', () => {
	test.each<[string, Record<string, unknown>, Record<string, string>, Record<string, unknown>]>([
		['approved', {}, { answer: 'approve' }, { approved: true }],
		['declined', { approvalOptions: approval }, { answer: 'decline' }, { approved: false }],
		['a text', { responseType: 'freeText' }, { text: 'Да,\r\nно 5 %' }, { text: 'Да,\nно 5 %' }],
	])('that is %s', async (_name, parameters, fields, data) => {
		const { executionId, link } = await ask(parameters);
		expect((await answer(link, fields)).status).toBe(200);
		const [item, ...others] = await outputOf(executionId);
		expect(item!.json).toEqual({ data: { ...data, respondedAt: expect.stringMatching(/Z$/) as string } });
		expect(item!.pairedItem).toEqual({ item: 0 });
		expect(others).toEqual([]);
	});
});

describe('a link', () => {
	test.each<[string, (link: URL) => void]>([
		['without its signature', ({ searchParams }) => searchParams.delete('signature')],
		['with another signature', ({ searchParams }) => searchParams.set('signature', 'a'.repeat(64))],
		['with another ID', ({ searchParams }) => searchParams.set('question', '1')],
		['with another parameter', ({ searchParams }) => searchParams.set('approved', 'true')],
	])('%s is refused, and the execution continues to wait', async (_name, change) => {
		const { executionId, link } = await ask();
		const changed = new URL(link);
		change(changed);
		expect((await openPage(changed.href)).status).toBe(401);
		expect((await answer(changed.href, { answer: 'approve' })).status).toBe(401);
		expect(await isWaiting(executionId)).toBe(true);
		await bench.api.stopExecution(executionId);
	});

	test('that people and previews open answers nothing, and neither does a request that no form sends', async () => {
		const { executionId, link } = await ask({ approvalOptions: approval });
		const previews = ['TelegramBot (like TwitterBot)', 'Viber/23', 'WhatsApp/2.23', ''];
		for (const agent of previews) {
			const { status, headers } = await openPage(link, { headers: { 'user-agent': agent } });
			expect(status).toBe(200);
			expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
			expect(headers.get('cache-control')).toBe('no-store');
			expect(headers.get('referrer-policy')).toBe('no-referrer');
			expect(headers.get('content-security-policy')).toBe(
				"sandbox allow-forms; default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			);
			expect(headers.get('set-cookie')).toBeNull();
		}
		await openPage(link, { method: 'HEAD' });
		const json = { 'content-type': 'application/json' };
		const posts: RequestInit[] = [
			{},
			{ body: '[]', headers: json },
			{ body: '{"answer":{"approve":1}}', headers: json },
			{ body: '{"answer":', headers: json },
			{ body: new URLSearchParams({ answer: 'a'.repeat(5_000_000) }) },
			{
				body: new URLSearchParams([
					['answer', 'approve'],
					['answer', 'decline'],
				]),
			},
			{ body: 'approve', headers: { 'content-type': 'text/plain' } },
		];
		for (const init of posts) {
			const { status } = await openPage(link, { method: 'POST', ...init });
			expect([init.body?.toString().slice(0, 20), status >= 400]).toEqual([
				init.body?.toString().slice(0, 20),
				true,
			]);
		}
		expect(await isWaiting(executionId)).toBe(true);
		expect((await answer(link, { answer: 'decline' })).status).toBe(200);
		expect((await outputOf(executionId))[0]!.json).toMatchObject({ data: { approved: false } });
	});

	test('that is pressed several times at once answers once, and every page says what happened', async () => {
		const { executionId, link } = await ask({ approvalOptions: approval });
		const pages = await Promise.all(
			['approve', 'decline', 'approve'].map((each) => answer(link, { answer: each })),
		);
		expect(pages.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
		const others = pages.filter(({ status }) => status !== 200);
		expect(others.map(({ text }) => text)).toEqual([answeredAlready.html, answeredAlready.html]);
		const accepted = pages.find(({ status }) => status === 200)!;
		const [item] = await outputOf(executionId);
		const { approved } = item!.json.data as { approved: boolean };
		expect(accepted.text).toContain(approved ? '>Да<' : '>Нет<');
		expect(accepted.text).not.toContain('<form');
		expect((await answer(link, { answer: 'approve' })).text).toContain('No action required');
	});

	test('leads nowhere after Stop', async () => {
		const { executionId, link } = await ask();
		await bench.api.stopExecution(executionId);
		expect((await openPage(link)).status).toBe(409);
		expect((await answer(link, { answer: 'approve' })).status).toBe(409);
		expect((await ended(executionId)).status).toBe('canceled');
	});
});

test('in a loop, each question is answered by its own link only, however often an older one is pressed', async () => {
	const people = [manager, second, third].map((id) => ({ id }));
	const loop = {
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: 1, options: {} },
	};
	const node = ourNode(
		asking({ contactId: '={{ $json.id }}', message: '={{ $json.id }}?' }),
		bench.credential,
	);
	const chain = chained('Loop', [manualTrigger, itemsNode('People', people), loop, node]);
	const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
	const connections = { ...chain.connections, Loop: { main: [[], to(ASK)] }, [ASK]: { main: [to('Loop')] } };
	const { id } = await bench.api.createWorkflow({ ...chain, connections } as WorkflowData);
	const before = bench.service.deliveries().length;
	const executionId = await bench.api.startWorkflow(id);
	const links: string[] = [];
	for (const [round, person] of people.entries()) {
		const link = await nextLink(bench.service, before + round);
		await untilWaits(bench.api, executionId);
		for (const older of links) {
			for (let time = 0; time < 3; time++)
				expect((await answer(older, { answer: 'approve' })).status).toBe(410);
			expect((await openPage(older)).status).toBe(410);
		}
		expect(await isWaiting(executionId)).toBe(true);
		expect((await openPage(link)).text).toContain(`${person.id}?`);
		expect((await answer(link, { answer: 'approve' })).status).toBe(200);
		links.push(link);
	}
	const execution = await ended(executionId);
	expect(execution.status).toBe('success');
	expect(execution.output('Loop', 0).map(({ json }) => json)).toMatchObject(
		people.map(() => ({ data: { approved: true } })),
	);
	expect(new Set(links).size).toBe(3);
	expect(
		bench.service
			.deliveries()
			.slice(before)
			.map(({ contactId: to }) => to),
	).toEqual(people.map((each) => each.id));
});

test('a question that the service refuses leaves nobody waiting, and several items ask nobody', async () => {
	const refused = asking({ contactId: '999999999' });
	const { id } = await bench.api.createWorkflow(askingWorkflow(refused, bench.credential));
	expect((await bench.api.runWorkflow(id)).error?.message).toContain(
		unknownBy('message/sendAndWait', 'contactId'),
	);
	const before = bench.service.requests.length;
	const several = chained(ASK, [
		manualTrigger,
		itemsNode('People', [{ id: manager }, { id: second }]),
		ourNode(asking({ contactId: '={{ $json.id }}' }), bench.credential),
	]);
	const { error, status } = await bench.api.runWorkflow((await bench.api.createWorkflow(several)).id);
	const { message, advice } = severalQuestions(wordsOf('message/sendAndWait').label, 2);
	expect(status).toBe('error');
	expect(error?.message).toContain(message);
	expect(error?.description).toContain(advice);
	expect(bench.service.requests).toHaveLength(before);
});

describe('in a browser on a phone', () => {
	const phone = {
		viewport: { width: 390, height: 844 },
		isMobile: true,
		hasTouch: true,
		deviceScaleFactor: 2,
	};
	let browser: Browser;
	beforeAll(async () => (browser = await startBrowser()));
	afterAll(async () => await browser.close());

	const markup = '<b>Скидка</b> "10 %" {{ 1 }} 😀\n<img src=x onerror=alert(1)></textarea>&amp;';

	test.each(['light', 'dark'] as const)(
		'the page asks, shows markup as text, loads nothing else, and takes the answer (%s)',
		async (colorScheme) => {
			const approvalOptions = {
				values: { approvalType: 'double', approveLabel: '<i>Да</i> 👍', disapproveLabel: '"Нет"' },
			};
			const { executionId, link } = await ask({
				message: markup,
				approvalOptions,
				options: { responseFormTitle: 'Скидка <Анне>', responseFormDescription: 'Анна ждёт.' },
			});
			const context = await browser.newContext({ ...phone, colorScheme });
			const page = await context.newPage();
			const requests: string[] = [];
			const complaints: string[] = [];
			page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
			// The sandbox of the page blocks the scripts of this test, too.
			const ofTest = /^Blocked script execution/;
			page.on('console', (message) => ofTest.test(message.text()) || complaints.push(message.text()));
			page.on('dialog', (dialog) => void dialog.dismiss().then(() => complaints.push('dialog')));
			await page.goto(link);
			expect(await page.locator('#question').innerText()).toBe(markup);
			expect(await page.locator('h1').innerText()).toBe('Скидка <Анне>');
			expect(await page.locator('button').allInnerTexts()).toEqual(['<i>Да</i> 👍', '"Нет"']);
			const { width } = (await page.locator('button').first().boundingBox())!;
			expect(width).toBeGreaterThan(250);
			expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
			await page.screenshot({ path: `artefacts/e2e-question/${colorScheme}.png` });
			await page.getByText('"Нет"').click();
			await page.locator('.answer').waitFor();
			await page.screenshot({ path: `artefacts/e2e-question/${colorScheme}-thanks.png` });
			expect(requests).toEqual([`GET ${link}`, `POST ${link}`]);
			expect(complaints).toEqual([]);
			expect(await context.cookies()).toEqual([]);
			await context.close();
			expect((await outputOf(executionId))[0]!.json).toMatchObject({ data: { approved: false } });
		},
	);

	test('a text is written and sent, and an empty one is not', async () => {
		const { executionId, link } = await ask({
			responseType: 'freeText',
			options: { responseFormButtonLabel: 'Отправить' },
		});
		const context = await browser.newContext(phone);
		const page = await context.newPage();
		await page.goto(link);
		await page.getByRole('button', { name: 'Отправить' }).click();
		expect(await isWaiting(executionId)).toBe(true);
		await page.getByRole('textbox').fill('Да, но 5 %\nи без доставки 😀');
		await page.screenshot({ path: 'artefacts/e2e-question/text.png' });
		await page.getByRole('button', { name: 'Отправить' }).click();
		await page.locator('.answer').waitFor();
		await context.close();
		expect((await outputOf(executionId))[0]!.json).toMatchObject({
			data: { text: 'Да, но 5 %\nи без доставки 😀' },
		});
	});
});

test('after the time limit, the input item is the output, and the link leads nowhere', async () => {
	const { executionId, link } = limited;
	const execution = await ended(executionId);
	expect(execution.status).toBe('success');
	expect(execution.output(ASK).map(({ json }) => json)).toEqual([{}]);
	expect((await answer(link, { answer: 'approve' })).text).toContain('No action required');
});
