import { withoutStore } from '../../nodes/ChatbotService/run/values/problems';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { credentialFor, hintsOf, newWorkflowId, retryNode, stoppable, until } from './harness';
import { lettersFor, numbersIn, refusal } from './messages';
import { goingOn, howOften } from './once';
import { me, previewOf, send, testing, useTestRuns } from './testRun';
import { MemoryDeduplicator } from './n8n/deduplication';

/* A test run records nothing, and shows who would get no message because of what real runs have recorded. */

const { service, run } = useTestRuns();

const once = { sendOncePer: 'осень' };
const store = () => ({ deduplication: new MemoryDeduplicator(), workflowId: newWorkflowId() });
const real = { ...send, options: once };

test('a run after it sends each message once, also the first', async () => {
	const items = lettersFor(service, 3);
	const stored = store();
	for (const values of [{}, { contactId: me, messages: 2 }, { contactId: me }])
		await run({ items, parameters: testing(values, once), ...stored });
	expect(howOften(service, items)).toEqual([0, 0, 0]);
	expect(stored.deduplication.calls).toEqual([]);
	const { json } = await run({ items, parameters: real, ...stored });
	expect(json).toEqual(items.map(() => ({ success: true })));
	expect(howOften(service, items)).toEqual([1, 1, 1]);
});

test('a person who has the message is named, also beside those who get it later', async () => {
	const items = lettersFor(service, 4);
	const stored = store();
	await run({ items: items.slice(0, 1), parameters: real, ...stored });
	const before = service.deliveries().length;
	const tested = await run({ items, parameters: testing({ contactId: me }, once), ...stored });
	const [first, ...others] = items.map(previewOf);
	expect(tested.json).toEqual([{ ...first, alreadySent: true }, ...others]);
	expect(hintsOf(tested).join()).toContain('1 recipient already has this message.');
	// The message that would leave first.
	expect(service.deliveries().slice(before)).toEqual([
		expect.objectContaining({ contactId: me, text: items[1]!.text }),
	]);
	const { json } = await run({ items, parameters: real, ...stored });
	expect(json.map(({ alreadySent }) => alreadySent)).toEqual([true, undefined, undefined, undefined]);
	expect(howOften(service, items)).toEqual([1, 1, 1, 1]);
});

test('a person who may have the message is named, and stays in doubt', async () => {
	const items = lettersFor(service, 2);
	const stored = store();
	service.faults.add({ kind: 'server error', match: { recipient: items[0]!.id } });
	await run({ items: items.slice(0, 1), parameters: real, node: goingOn, ...stored });
	service.faults.clear();
	for (const onError of ['stopWorkflow', 'continueErrorOutput'] as const) {
		const tested = await run({ items, parameters: testing({}, once), node: { onError }, ...stored });
		expect(tested.json).toEqual([{ ...previewOf(items[0]!), inDoubt: true }, previewOf(items[1]!)]);
		expect(numbersIn(hintsOf(tested).join()).slice(0, 4)).toEqual([1, 2, 1, 1]);
	}
	const { json } = await run({ items, parameters: real, node: goingOn, ...stored });
	expect(json.map(({ error }) => typeof error)).toEqual(['string', 'undefined']);
});

test('if everybody has the message, the person who tries the run gets it all the same', async () => {
	const items = lettersFor(service, 1);
	const stored = store();
	await run({ items, parameters: real, ...stored });
	await run({ items, parameters: testing({ contactId: me }, once), ...stored });
	expect(howOften(service, [{ id: me }, ...items])).toEqual([1, 1]);
});

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
	const [item] = lettersFor(service, 1) as [{ id: number; text: string }];
	const items = [item, { ...item, text: 'Ещё раз' }];
	const result = await run({ items, parameters: testing({}, once) });
	expect(result.json.map(({ alreadySent }) => alreadySent)).toEqual([undefined, true]);
	expect(numbersIn(hintsOf(result).join()).slice(0, 4)).toEqual([2, 2, 0, 1]);
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
