import { setTimeout as pause } from 'node:timers/promises';

import { keep } from '../../../bench/page';
import { chained, ownConnection, until } from '../../../sandbox/host';
import { duringTests } from '../../duringTests';
import { openOwnBench } from '../support/bench';
import { allowed } from '../support/environment';
import { isRegistered, mailing, newPeople, post, SEND, webhookUrl } from '../support/mailing';
import { expectEverybodyOnce, expectSuccess } from '../support/outcomes';

/*
 * Other work is not delayed, however much a workflow sends: 10,000 messages are read and checked, and then sent as fast as the service
 * accepts them. n8n keeps what 'Send Once Per' records in SQLite here.
 */

const PEOPLE = 10_000;
/** The longest acceptable wait for other work. */
const WAIT_MS = 500;
const EVERY_MS = 250;

const bench = duringTests(async () => await openOwnBench('other-work'));

/** Asks four times a second, or as soon as the previous answer has arrived. Times are those of performance.now(). */
function keepAsking(question: () => Promise<string>) {
	const answers: Array<{ at: number; answeredAt: number; answer: string }> = [];
	let isStopped = false;
	const ended = (async () => {
		while (!isStopped) {
			const at = performance.now();
			const answer = await question().catch((error: Error) => String(error.cause ?? error));
			answers.push({ at, answeredAt: performance.now(), answer });
			await pause(at + EVERY_MS - performance.now());
		}
	})();
	/** Waits for the last answer. */
	const stop = async () => {
		isStopped = true;
		await ended;
	};
	return { answers, stop };
}

/** A workflow that answers a webhook. */
async function openingHours(): Promise<string> {
	const { api, host } = bench;
	const webhook = {
		...{ webhookId: 'hours', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2 },
		parameters: { httpMethod: 'POST', path: 'hours', responseMode: 'responseNode', options: {} },
	};
	const answer = {
		...{ name: 'Answer', type: 'n8n-nodes-base.respondToWebhook', typeVersion: 1.5 },
		parameters: { respondWith: 'text', responseBody: '={{ $json.body.day }}: 10:00–20:00', options: {} },
	};
	const { id } = await api.createWorkflow(chained('Opening hours', [webhook, answer]));
	await api.activateWorkflow(id);
	const url = webhookUrl(host.url, 'hours');
	await until(async () => await isRegistered(url));
	return url;
}

let hours: string;
beforeAll(async () => void (hours = await openingHours()));

test.each([
	['others', undefined],
	['othersOnce', 'осень'],
])('n8n answers others while 10,000 messages are sent: %s', async (name, once) => {
	const { host, service } = bench;
	const options = { name, account: { requestsPerSecond: 0 }, once };
	const broadcast = await mailing({ ...bench, url: host.url }, options);
	const people = newPeople(service, PEOPLE);
	const others = [
		// As a monitor calls it, to restart an n8n that does not answer.
		keepAsking(async () => {
			const response = await fetch(`${host.url}/healthz`, { headers: ownConnection });
			return String(response.status);
		}),
		keepAsking(async () => await (await post(hours, { day: 'Среда' })).text()),
	];
	// The first call is not measured, because n8n does one-time work for it.
	await until(() => others.every(({ answers }) => answers.length >= 5));
	const before = service.requests.length;
	const executionId = await broadcast.start(people);
	// Without the time that n8n needs for its output.
	await until(() => service.requests.length - before >= PEOPLE * 0.9, { timeoutMs: 500_000 });
	const to = performance.now();
	await Promise.all(others.map(async ({ stop }) => await stop()));
	const execution = await bench.api.waitForExecution(executionId, { timeoutMs: 300_000 });
	expectSuccess(execution);
	expectEverybodyOnce(service, people);
	service.assertContract();
	const said = others.map(({ answers }) => [...new Set(answers.map(({ answer }) => answer))]);
	expect(said).toEqual([['200'], ['Среда: 10:00–20:00']]);
	// Without the time in which n8n takes the list.
	const from = execution.runs(SEND)[0]!.startTime - performance.timeOrigin;
	const waits = others.map(({ answers }) =>
		Math.max(...answers.map(({ at, answeredAt }) => Math.min(answeredAt, to) - Math.max(at, from))),
	);
	expect(Math.max(...waits)).toBeLessThan(allowed(WAIT_MS));
	keep(name, {
		messages: PEOPLE,
		'longest wait for /healthz, ms': waits[0]!,
		'longest wait for the answer of the other workflow, ms': waits[1]!,
		'until 9,000 messages are delivered, ms': to - from,
	});
});
