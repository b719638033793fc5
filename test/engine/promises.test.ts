import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';

import { unknownOperation } from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED } from '../../sandbox/emulator';
import { parametersOf, variants } from '../operations';
import { numbersIn, send } from './messages';
import { scene } from './scene';

/*
 * The promises of the node, through the real engine: what tables cannot say. Values that are refused: refused.test.ts; Stop: stop.test.ts;
 * Retry: retry.test.ts; the order of messages: histories.
 */

const { service, run, refusal, stopWhen, letters } = scene(send);

test.each(['={{ "send" }}', 'shout'])('the operation %j is refused and explained', async (operation) => {
	// With an expression, n8n treats every field as shown, and refuses the workflow itself while one of them is empty.
	const usual = variants.map((variant) => parametersOf(variant)).reverse();
	const all = Object.assign({}, ...usual, send) as INodeParameters;
	const error = await refusal({ parameters: { ...all, operation }, items: letters(2) });
	const { message, description } = unknownOperation('', '');
	expect(error.message).toBe(`${message} [Item 0]`);
	// What the node receives of an expression depends on the engine.
	expect(error.description).toContain(description.split(' Received:')[0]);
});

describe('other work in the process continues', () => {
	/** A slow expression: 5 ms of the wall. Progress is counted in iterations of the event loop, so that machine load does not matter. */
	const slow = '={{ ((until) => { while (Date.now() < until); return $json.text; })(Date.now() + 50) }}';

	/** Items that report when their text is read. */
	const watched = (count: number, onRead: (item: number) => void) =>
		letters(count).map(({ id, text }, item) => {
			const get = () => (onRead(item), text);
			return Object.defineProperty({ id }, 'text', { enumerable: true, get });
		}) as never;

	test('while a run reads its items', async () => {
		let turns = 0;
		let next = setImmediate(function turn() {
			turns++;
			next = setImmediate(turn);
		});
		const turnsAt: number[] = [];
		const items = watched(50, (item) => void (turnsAt[item] ??= turns));
		expect((await run({ with: { text: slow }, items })).json).toHaveLength(50);
		clearImmediate(next);
		// Reading takes a quarter of a second. Without yielding to the event loop, it would block the process all that time.
		expect(turnsAt[49]).toBeGreaterThan(25);
	});

	test('a run that is stopped while it reads sends nothing', async () => {
		let reads = 0;
		const items = watched(500, () => void reads++);
		const result = await stopWhen(() => reads > 10, { with: { text: slow }, items });
		expect([result.run.status, reads < 250, service.requests]).toEqual(['canceled', true, []]);
	});
});

test('a long run writes its progress to the log of n8n', async () => {
	const { Logger } = jest.requireActual<{ Logger: new () => { info(text: string): void } }>(
		'@n8n/backend-common',
	);
	const logged = jest.spyOn(Container.get(Logger), 'info').mockReturnValue(undefined);
	// Each request seems to take ten seconds.
	const now = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => now() + service.requests.length * 10_000);
	await run({ items: letters(10).map((each) => ({ ...each, id: SEEDED.contacts.vk })) });
	const said = logged.mock.calls.map(([text]) => text).filter((text) => text.startsWith('Tested: '));
	jest.restoreAllMocks();
	// Every 30 seconds: how many of 10 items were processed.
	expect(said.map((text) => numbersIn(text)[0])).toEqual([3, 6, 9]);
});
