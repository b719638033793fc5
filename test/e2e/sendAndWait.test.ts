import { startBrowser } from './editor/browser';
import { chained, itemsNode, manualTrigger, ourNode } from '../../sandbox/host';
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
 * is in restarts.test.ts, with workers in nightly/queue-mode.test.ts, with AI agents and after a time limit in agent.test.ts.
 * All answers and failures are in test/engine/sendAndWait.test.ts.
 */

const bench = duringTests(openBench);

const { telegram: manager, viber } = SEEDED.contacts;

/** Stores a workflow that asks the manager, and starts it. */
async function ask(parameters: Record<string, unknown> = {}) {
	const workflow = questionWorkflow({ contactId: String(manager), ...parameters }, bench.credential);
	return await untilWaiting(bench, (await bench.api.createWorkflow(workflow)).id);
}

const outputOf = async (executionId: string) => rows(await bench.api.waitForExecution(executionId), ASK)[0]!;

test('a link needs its signature, a preview is no answer', async () => {
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
	const { headers, status, text } = await openPage(link, {
		headers: { 'user-agent': 'TelegramBot', 'accept-language': 'ru-RU,ru;q=0.9' },
	});
	expect([status, text]).toEqual([200, expect.stringContaining('<html lang="ru">')]);
	expect(Object.fromEntries(headers)).toMatchObject({
		'content-type': 'text/html; charset=utf-8',
		'cache-control': 'no-store',
		'referrer-policy': 'no-referrer',
		'content-security-policy':
			"sandbox allow-forms; default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	});
	expect(headers.get('set-cookie')).toBeNull();
	await openPage(link, { method: 'HEAD' });
	expect(await bench.api.statusOf(executionId)).toBe('waiting');
	await bench.api.stopExecution(executionId);
	expect((await answer(link, { answer: 'approve' })).status).toBe(409);
});

test('a link that is pressed several times answers once', async () => {
	const { executionId, link } = await ask({ approvalOptions: approval });
	const given = ['approve', 'decline', 'approve'];
	await Promise.all(given.map((each) => answer(link, { answer: each })));
	expect(typeof ((await outputOf(executionId)).data as { approved: boolean }).approved).toBe('boolean');
	expect((await answer(link, { answer: 'approve' })).text).toContain('No action required');
});

test('in the loop of a sub-workflow, links differ', async () => {
	const { api, credential, service } = bench;
	const people = [manager, viber].map((id) => ({ id }));
	const called = {
		...{ name: 'Called', type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1 },
		parameters: { inputSource: 'passthrough' },
	};
	const loop = {
		...{ name: 'Loop', type: 'n8n-nodes-base.splitInBatches', typeVersion: 3 },
		parameters: { batchSize: 1, options: {} },
	};
	const asks = questionNode({ contactId: '={{ $json.id }}', message: '={{ $json.id }}?' });
	const chain = chained('Sub', [called, loop, ourNode(asks, credential)]);
	const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
	Object.assign(chain.connections, { Loop: { main: [[], to(ASK)] }, [ASK]: { main: [to('Loop')] } });
	const sub = await api.createWorkflow(chain);
	await api.activateWorkflow(sub.id);
	const call = {
		...{ name: 'Call', type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2 },
		parameters: { workflowId: { __rl: true, mode: 'id', value: sub.id }, options: {} },
	};
	const parent = chained('Parent', [manualTrigger, itemsNode('People', people), call]);
	const before = service.deliveries().length;
	const executionId = await api.startWorkflow((await api.createWorkflow(parent)).id);
	const first = await nextLink(bench, executionId, before);
	expect((await answer(first, { answer: 'approve' })).status).toBe(200);
	const second = await nextLink(bench, executionId, before + 1);
	expect((await answer(first, { answer: 'approve' })).status).toBe(410);
	expect((await openPage(second)).text).toContain(`${viber}?`);
	expect((await answer(second, { answer: 'approve' })).status).toBe(200);
	const execution = await api.waitForExecution(executionId);
	expect(rows(execution, call.name)).toMatchObject(people.map(() => ({ data: { approved: true } })));
});

const chromium = duringTests(async () => {
	const browser = await startBrowser();
	return { browser, stop: async () => await browser.close() };
});

test('on a phone, the page shows markup as text', async () => {
	const markup = '<b>Скидка</b> "10 %" {{ 1 }} 😀\n<img src=x onerror=alert(1)></textarea>&amp;';
	const [approveLabel, disapproveLabel] = ['<i>Да</i> 👍', '"Нет"'];
	const { executionId, link } = await ask({
		message: markup,
		approvalOptions: { values: { approvalType: 'double', approveLabel, disapproveLabel } },
	});
	const viewport = { width: 390, height: 844 };
	const page = await chromium.browser.newPage({ viewport, isMobile: true, hasTouch: true });
	const seen: string[] = [];
	page.on('request', (request) => seen.push(`${request.method()} ${request.url()}`));
	page.on('dialog', (dialog) => void dialog.dismiss().then(() => seen.push('dialog')));
	await page.goto(link);
	expect(await page.locator('#question').innerText()).toBe(markup);
	expect(await page.locator('button').allInnerTexts()).toEqual([approveLabel, disapproveLabel]);
	expect((await page.locator('button').first().boundingBox())!.width).toBeGreaterThan(250);
	expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
	// A double click counts as one.
	await page.getByText(disapproveLabel!).dblclick();
	await page.locator('.answer').waitFor();
	expect(seen).toEqual([`GET ${link}`, `POST ${link}`]);
	expect(await outputOf(executionId)).toMatchObject({ data: { approved: false } });
});
