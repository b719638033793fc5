import { answeredAlready } from '../../nodes/ChatbotService/ask/response';
import { pageWordsFor } from '../../nodes/ChatbotService/ask/words';
import { startBrowser } from './editor/browser';
import { chained, itemsNode, manualTrigger, ourNode, type WorkflowData } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
import { openBench } from './support/bench';
import { duringTests } from '../duringTests';
import { rows } from './support/examples';
import {
	answer,
	approval,
	ASK,
	questionNode,
	questionWorkflow,
	nextLink,
	openPage,
	untilWaiting,
} from './support/pages';

/*
 * Questions to people in a whole n8n: its signature, its database, its waiting executions. What happens when n8n is killed in between
 * is in interrupted.test.ts, with workers in nightly/queue-mode.test.ts, after a time limit in nightly/timeLimits.test.ts, with AI agents
 * in agent.test.ts, approvals that nobody gave in nobodyApproved.test.ts. All answers and failures are in test/engine/sendAndWait.test.ts.
 */

const bench = duringTests(openBench);

const { telegram: manager, viber, max } = SEEDED.contacts;

/** Stores a workflow that asks the manager, and starts it. */
async function ask(parameters: Record<string, unknown> = {}) {
	const workflow = questionWorkflow({ contactId: String(manager), ...parameters }, bench.credential);
	return await untilWaiting(bench, (await bench.api.createWorkflow(workflow)).id);
}

const isWaiting = async (executionId: string) => (await bench.api.statusOf(executionId)) === 'waiting';
const outputOf = async (executionId: string) => (await bench.api.waitForExecution(executionId)).output(ASK);

test('a link without its signature or with another parameter is refused, and the execution continues to wait', async () => {
	const { executionId, link } = await ask();
	for (const change of [
		({ searchParams }: URL) => searchParams.delete('signature'),
		({ searchParams }: URL) => searchParams.set('question', '1'),
		({ searchParams }: URL) => searchParams.set('approved', 'true'),
	]) {
		const changed = new URL(link);
		change(changed);
		expect((await openPage(changed.href)).status).toBe(401);
		expect((await answer(changed.href, { answer: 'approve' })).status).toBe(401);
	}
	expect(await isWaiting(executionId)).toBe(true);
	await bench.api.stopExecution(executionId);
});

test('a link that a preview opens answers nothing, and leads nowhere after Stop', async () => {
	const { executionId, link } = await ask();
	const { headers, status } = await openPage(link, { headers: { 'user-agent': 'TelegramBot' } });
	expect(status).toBe(200);
	expect(Object.fromEntries(headers)).toMatchObject({
		'content-type': 'text/html; charset=utf-8',
		'cache-control': 'no-store',
		'referrer-policy': 'no-referrer',
		'content-security-policy':
			"sandbox allow-forms; default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	});
	expect(headers.get('set-cookie')).toBeNull();
	const russian = await openPage(link, { headers: { 'accept-language': 'ru-RU,ru;q=0.9' } });
	expect(russian.text).toContain('<html lang="ru">');
	await openPage(link, { method: 'HEAD' });
	expect(await isWaiting(executionId)).toBe(true);
	await bench.api.stopExecution(executionId);
	expect((await answer(link, { answer: 'approve' })).status).toBe(409);
});

test('a link that is pressed several times at once answers once, and every page says what happened', async () => {
	const { executionId, link } = await ask({ approvalOptions: approval });
	const given = ['approve', 'decline', 'approve'];
	const pages = await Promise.all(given.map((each) => answer(link, { answer: each })));
	const { approved } = (await outputOf(executionId))[0]!.json.data as { approved: boolean };
	for (const [index, { status, text }] of pages.entries()) {
		const isCounted = (given[index] === 'approve') === approved;
		expect(status).toBe(isCounted ? 200 : 409);
		if (isCounted) expect(text).toContain(approved ? '>Да<' : '>Нет<');
		else expect(text).toBe(answeredAlready(pageWordsFor()).html);
	}
	expect((await answer(link, { answer: 'approve' })).text).toContain('No action required');
});

test('in a loop, each question is answered by its own link only', async () => {
	const people = [manager, viber, max].map((id) => ({ id }));
	const loop = {
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: 1, options: {} },
	};
	const asks = questionNode({ contactId: '={{ $json.id }}', message: '={{ $json.id }}?' });
	const node = ourNode(asks, bench.credential);
	const chain = chained('Loop', [manualTrigger, itemsNode('People', people), loop, node]);
	const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
	const connections = { ...chain.connections, Loop: { main: [[], to(ASK)] }, [ASK]: { main: [to('Loop')] } };
	const { id } = await bench.api.createWorkflow({ ...chain, connections } as WorkflowData);
	const before = bench.service.deliveries().length;
	const executionId = await bench.api.startWorkflow(id);
	const older: string[] = [];
	for (const [round, person] of people.entries()) {
		const link = await nextLink(bench, executionId, before + round);
		for (const each of older) expect((await answer(each, { answer: 'approve' })).status).toBe(410);
		expect(await isWaiting(executionId)).toBe(true);
		expect((await openPage(link)).text).toContain(`${person.id}?`);
		expect((await answer(link, { answer: 'approve' })).status).toBe(200);
		older.push(link);
	}
	const execution = await bench.api.waitForExecution(executionId);
	expect(execution.status).toBe('success');
	expect(rows(execution, 'Loop')).toMatchObject(people.map(() => ({ data: { approved: true } })));
});

test('in a sub-workflow, the parent waits until the sub-workflow ends, and gets its output', async () => {
	const called = {
		name: 'Called',
		type: 'n8n-nodes-base.executeWorkflowTrigger',
		typeVersion: 1.1,
		parameters: { inputSource: 'passthrough' },
	};
	const asks = [ASK, 'Ask again'].map((name) =>
		ourNode({ ...questionNode({ contactId: String(manager) }), name }, bench.credential),
	);
	const sub = await bench.api.createWorkflow(chained('Sub', [called, ...asks]));
	await bench.api.activateWorkflow(sub.id);
	const call = {
		name: 'Call',
		type: 'n8n-nodes-base.executeWorkflow',
		typeVersion: 1.2,
		parameters: { workflowId: { __rl: true, mode: 'id', value: sub.id }, options: {} },
	};
	const items = itemsNode('Request', [{ price: 7 }]);
	const parent = await bench.api.createWorkflow(chained('Parent', [manualTrigger, items, call]));
	const before = bench.service.deliveries().length;
	const executionId = await bench.api.startWorkflow(parent.id);
	for (const round of asks.keys()) {
		const link = await nextLink(bench, executionId, before + round);
		expect((await answer(link, { answer: 'approve' })).status).toBe(200);
	}
	expect(rows(await bench.api.waitForExecution(executionId), call.name)).toEqual([
		{ data: expect.objectContaining({ approved: true }) as object },
	]);
});

const chromium = duringTests(async () => {
	const browser = await startBrowser();
	return { browser, stop: async () => await browser.close() };
});

test('on a phone, the page asks, shows markup as text, loads nothing else, and takes the answer', async () => {
	const markup = '<b>Скидка</b> "10 %" {{ 1 }} 😀\n<img src=x onerror=alert(1)></textarea>&amp;';
	const { executionId, link } = await ask({
		message: markup,
		approvalOptions: {
			values: { approvalType: 'double', approveLabel: '<i>Да</i> 👍', disapproveLabel: '"Нет"' },
		},
		options: { responseFormTitle: 'Скидка <Анне>' },
	});
	const viewport = { width: 390, height: 844 };
	const context = await chromium.browser.newContext({
		viewport,
		isMobile: true,
		hasTouch: true,
		colorScheme: 'dark',
	});
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
	expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
	// A double click counts as one.
	await page.getByText('"Нет"').dblclick();
	await page.locator('.answer').waitFor();
	expect(requests).toEqual([`GET ${link}`, `POST ${link}`]);
	expect(complaints).toEqual([]);
	expect(await context.cookies()).toEqual([]);
	expect((await outputOf(executionId))[0]!.json).toMatchObject({ data: { approved: false } });
});
