import { keep } from '../../../bench/records';
import { type Execution, ownConnection, until } from '../../../sandbox/host';
import { allowed } from '../support/allowed';
import { openOwnBench } from '../support/bench';
import { duringTests } from '../support/duringTests';
import { eventually } from '../support/eventually';
import { expectEverybodyOnce, expectSuccess, newAccount, newPeople } from '../support/interrupted';
import {
	activate,
	answeringWorkflow,
	post,
	sendNode,
	webhookUrl,
	workflowForPeople,
} from '../support/webhook';

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

/**
 * Sends a request four times a second, or as soon as the previous answer has arrived. Times are those of performance.now().
 *
 * @param question throws when there is no answer, or a wrong one
 */
function keepAsking(question: () => Promise<void>) {
	const answers: Array<{ at: number; answeredAt: number }> = [];
	const failed: string[] = [];
	let isStopped = false;
	const ended = (async () => {
		while (!isStopped) {
			const at = performance.now();
			await question().catch((error: Error) => failed.push(String(error.cause ?? error)));
			const answeredAt = performance.now();
			answers.push({ at, answeredAt });
			await new Promise((passed) => setTimeout(passed, at + EVERY_MS - answeredAt));
		}
	})();
	return {
		answers,
		failed,
		/** The longest wait for an answer between two moments. */
		longestMs: (from: number, to: number) =>
			Math.max(0, ...answers.map(({ at, answeredAt }) => Math.min(answeredAt, to) - Math.max(at, from))),
		/** Waits for the last answer. */
		async stop() {
			isStopped = true;
			await ended;
		},
	};
}

test('n8n answers its health check and another workflow while 10,000 messages are read, checked and sent, each once', async () => {
	const { api, host, service } = bench;
	const people = newPeople(service, PEOPLE);
	const send = sendNode(await newAccount(api, service, { requestsPerSecond: 0 }), text);
	const { id } = await activate(api, host.url, workflowForPeople('Broadcast', 'broadcast', send));
	const hours = '={{ $json.body.day }}: 10:00–20:00';
	await activate(api, host.url, answeringWorkflow('Opening hours', 'opening-hours', hours));
	// As a monitor calls it, to restart an n8n that does not answer.
	const health = keepAsking(async () => {
		const { ok, status } = await fetch(`${host.url}/healthz`, { headers: ownConnection });
		if (!ok) throw new Error(`/healthz answered with ${status}`);
	});
	const otherWorkflow = keepAsking(async () => {
		const answer = await (await post(webhookUrl(host.url, 'opening-hours'), { day: 'Среда' })).text();
		if (answer !== 'Среда: 10:00–20:00') throw new Error(`The workflow answered ${answer}`);
	});
	const others = [health, otherWorkflow];
	let to: number;
	try {
		// The first call is not measured, because n8n does one-time work for it.
		await until(() => otherWorkflow.answers.length >= 5);
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
	let execution: Execution | undefined;
	// Right after a freeze, n8n may report that its database is not ready.
	await eventually(async () => {
		const [latest] = await api.executions(id);
		execution = await api.waitForExecution(latest!.id, { timeoutMs: 300_000 });
	});
	expectSuccess(execution!);
	// Without the time in which n8n takes the items.
	const from = execution!.runs('Send')[0]!.startTime - performance.timeOrigin;
	const waits = others.map(({ longestMs }) => Math.round(longestMs(from, to)));
	const [healthMs, workflowMs] = waits as [number, number];
	process.stdout.write(`The longest waits in ${Math.round(to - from)} ms: ${waits.join(' and ')} ms\n`);
	expect(Math.max(...waits)).toBeLessThan(allowed(WAIT_MS));
	expect(others.flatMap(({ failed }) => failed)).toEqual([]);
	expectEverybodyOnce(service, people);
	service.assertContract();
	keep('others', { messages: PEOPLE, healthMs, workflowMs, wallMs: to - from });
}, 700_000);
