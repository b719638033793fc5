import { withoutStore } from '../../nodes/ChatbotService/run/values/problems';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { credentialFor, hintsOf, newWorkflowId, retryNode, stoppable, until } from './harness';
import { lettersFor, numbersIn, refusal } from './messages';
import { goingOn, howOften } from './once';
import { me, previewOf, send, testing, useTestRuns } from './testRun';
import { MemoryDeduplicator } from './n8n/deduplication';

/* A test run records nothing, and changes nothing of what real runs have recorded. */

const { service, run } = useTestRuns();

const once = { sendOncePer: 'осень' };
const store = () => ({ deduplication: new MemoryDeduplicator(), workflowId: newWorkflowId() });
const real = { ...send, options: once };

test('a run after it sends each message once, also the first', async () => {
	const items = lettersFor(service, 3);
	const stored = store();
	for (const values of [{}, { contactId: me, messages: 2 }, { contactId: me }])
		expect(hintsOf(await run({ items, parameters: testing(values, once), ...stored })).join()).not.toContain(
			'skips',
		);
	expect(howOften(service, items)).toEqual([0, 0, 0]);
	expect(stored.deduplication.calls).toEqual([]);
	const { json } = await run({ items, parameters: real, ...stored });
	expect(json).toEqual(items.map(() => ({ success: true })));
	expect(howOften(service, items)).toEqual([1, 1, 1]);
});

test.each([
	['осень', "a message under 'осень'"],
	["={{ 'осень' }}", "a message under the same value of 'Send Once Per'"],
])(
	'with %s, people who have or may have the message stay so, and the notice says what happens',
	async (...row) => {
		const [sendOncePer, named] = row;
		const items = lettersFor(service, 3);
		const stored = store();
		const parameters = { ...send, options: { sendOncePer } };
		service.faults.add({ kind: 'server error', match: { recipient: items[1]!.id } });
		await run({ items: items.slice(0, 2), parameters, node: goingOn, ...stored });
		service.faults.clear();
		const calls = stored.deduplication.calls.length;
		const tested = await run({ items, parameters: testing({ contactId: me }, { sendOncePer }), ...stored });
		expect(tested.json).toEqual(items.map(previewOf));
		expect(hintsOf(tested).join()).toContain(`The real run skips people who already have ${named}.`);
		// Otherwise, a process that dies meanwhile would leave people in doubt.
		expect(stored.deduplication.calls).toHaveLength(calls);
		const { json } = await run({ items, parameters, node: goingOn, ...stored });
		expect(json.map(({ alreadySent, error }) => alreadySent ?? typeof error)).toEqual([
			true,
			'string',
			'undefined',
		]);
		expect(howOften(service, [{ id: me }, items[0]!, items[2]!])).toEqual([1, 1, 1]);
	},
);

test('a real run need not wait for a test that waits for its answer', async () => {
	const [known, ...items] = lettersFor(service, 3);
	const stored = store();
	await run({ items: [known!], parameters: real, ...stored });
	service.faults.add({ kind: 'delay', ms: 15_000, match: { recipient: me } });
	const { ended, stop } = stoppable(
		async (onStart) => await run({ items, parameters: testing({ contactId: me }, once), ...stored, onStart }),
	);
	await until(() => service.requests.length === 2);
	const { json } = await run({ items, parameters: real, ...stored });
	expect(json).toEqual(items.map(() => ({ success: true })));
	const [, ofTest] = service.requests;
	expect([ofTest!.input.contact_id, ofTest!.answeredAt]).toEqual([String(me), undefined]);
	stop();
	await ended;
});

test('a person who is in the run twice would get one message', async () => {
	const [item, other] = lettersFor(service, 2);
	const items = [item!, { ...item!, text: 'Ещё раз' }, other!];
	const result = await run({ items, parameters: testing({ contactId: me, messages: 2 }, once) });
	expect(result.json.map(({ alreadySent }) => alreadySent)).toEqual([undefined, true, undefined]);
	expect(numbersIn(hintsOf(result).join()).slice(0, 4)).toEqual([3, 3, 0, 1]);
	// What a real run would send comes first.
	expect(service.deliveries().map(({ text }) => text)).toEqual([item!.text, other!.text]);
});

test('a retry of an execution that a test run has failed sends everything', async () => {
	const items = [...lettersFor(service, 2), { id: 'нет', text: 'Письмо' }];
	const failed = await run({ items });
	expect(failed.error?.message).toContain('[Item 2]');
	const good = items.slice(0, 2) as Array<{ id: number; text: string }>;
	const retried = await retryNode(failed, { parameters: send, items: good });
	expect([retried.error, retried.json]).toEqual([undefined, good.map(() => ({ success: true }))]);
	expect(howOften(service, good)).toEqual([1, 1]);
});

test('a test run of a failed execution leaves what it has recorded: the next retry sends only what is missing', async () => {
	const items = lettersFor(service, 3);
	service.faults.add({ ...refusal, match: { recipient: items[1]!.id } });
	const failed = await run({
		items,
		parameters: send,
		credential: credentialFor(service, { requestsPerSecond: 1 }),
	});
	service.faults.clear();
	const shown = await retryNode(failed, { parameters: testing() });
	expect(shown.json).toEqual(items.map(previewOf));
	const tested = await retryNode(failed, { parameters: testing({ contactId: 'нет' }) });
	expect(tested.error?.message).toContain("'Test Run: Contact ID'");
	await retryNode(tested, { parameters: send, credential: credentialFor(service) });
	expect(howOften(service, items)).toEqual([1, 1, 1]);
});

test('in a workflow that was never saved, it works without Send Once Per, and is refused with it', async () => {
	const items = lettersFor(service, 1);
	expect((await run({ items, workflowId: null })).json).toEqual(items.map(previewOf));
	const { error } = await run({ items, workflowId: null, parameters: testing({}, once) });
	expect(error?.message).toBe(`${withoutStore(sendOncePer.displayName, '').message} [Item 0]`);
});
