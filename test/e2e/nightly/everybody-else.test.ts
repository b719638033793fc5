import { setTimeout as pause } from 'node:timers/promises';

import { keep } from '../../../bench/page';
import { chained, type Execution, ownConnection, poll, until } from '../../../sandbox/host';
import { openOwnBench } from '../support/bench';
import { duringTests } from '../../duringTests';
import { allowed } from '../support/environment';
import { expectEverybodyOnce, expectSuccess, newAccount, newPeople } from '../support/interrupted';
import { activate, post, sendNode, webhook, webhookUrl, workflowForPeople } from '../support/webhook';

/*
 * Other work is not delayed, however much a workflow sends. 10,000 messages are read and checked, because nothing may be sent if
 * one of them is wrong, and are then sent as fast as the service accepts them: the heaviest load for a process.
 */

const PEOPLE = 10_000;
/** The longest acceptable wait for other work. */
const WAIT_MS = 500;
const EVERY_MS = 250;

const bench = duringTests(async () => await openOwnBench('everybody-else'));

const text =
	'=Здравствуйте, {{ $json.name.split(" ")[0] }}! Заказ {{ $json.order.number }} на ' +
	'{{ $json.order.total.toFixed(2) }} ₽ привезём {{ $json.order.day }} по адресу {{ $json.order.address }}.';

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

test('n8n answers others while 10,000 messages are sent', async () => {
	const { api, host, service } = bench;
	const people = newPeople(service, PEOPLE);
	const send = sendNode(await newAccount(api, service, { requestsPerSecond: 0 }), text);
	const { id } = await activate(api, host.url, workflowForPeople('broadcast', send));
	const hours = {
		name: 'Answer',
		type: 'n8n-nodes-base.respondToWebhook',
		typeVersion: 1.5,
		parameters: { respondWith: 'text', responseBody: '={{ $json.body.day }}: 10:00–20:00', options: {} },
	};
	const openingHours = webhook('opening-hours', 'responseNode');
	await activate(api, host.url, chained('Opening hours', [openingHours, hours]));
	const others = [
		// As a monitor calls it, to restart an n8n that does not answer.
		keepAsking(async () => {
			const response = await fetch(`${host.url}/healthz`, { headers: ownConnection });
			return String(response.status);
		}),
		keepAsking(
			async () => await (await post(webhookUrl(host.url, 'opening-hours'), { day: 'Среда' })).text(),
		),
	];
	let to: number;
	try {
		// The first call is not measured, because n8n does one-time work for it.
		await until(() => others.every(({ answers }) => answers.length >= 5));
		const order = { number: 'A-1047', total: 12_990.5, day: 'завтра', address: 'ул. Садовая, 5' };
		await post(webhookUrl(host.url, 'broadcast'), {
			people: people.map((person) => ({ id: person.id, name: person.name, order })),
		});
		// Without the time that n8n needs for its output.
		await until(() => service.deliveries().length >= PEOPLE * 0.9, { timeoutMs: 240_000 });
	} finally {
		to = performance.now();
		await Promise.all(others.map(async (each) => await each.stop()));
	}
	// Right after a freeze, n8n may report that its database is not ready.
	const execution = await poll<Execution>(async () => {
		const [latest] = await api.executions(id).catch(() => []);
		return latest && (await api.waitForExecution(latest.id, { timeoutMs: 300_000 }).catch(() => undefined));
	});
	expectSuccess(execution);
	// Without the time in which n8n takes the items.
	const from = execution.runs('Send')[0]!.startTime - performance.timeOrigin;
	const waits = others.map(({ answers }) =>
		Math.max(...answers.map(({ at, answeredAt }) => Math.min(answeredAt, to) - Math.max(at, from))),
	);
	const [healthMs, workflowMs] = waits as [number, number];
	expect(Math.max(...waits)).toBeLessThan(allowed(WAIT_MS));
	const said = others.map(({ answers }) => [...new Set(answers.map(({ answer }) => answer))]);
	expect(said).toEqual([['200'], ['Среда: 10:00–20:00']]);
	expectEverybodyOnce(service, people);
	service.assertContract();
	keep('others', {
		messages: PEOPLE,
		'longest wait for /healthz, ms': healthMs,
		'longest wait for the answer of the other workflow, ms': workflowMs,
		'duration, ms': to - from,
	});
}, 700_000);
