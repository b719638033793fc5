import fc from 'fast-check';
import { sleep } from 'n8n-workflow';

import { leftUnknown } from '../../nodes/ChatbotService/client/failure/failure';
import type { Kept } from '../../nodes/ChatbotService/run/ledger/execution';
import { times } from '../times';
import { useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { broken, ok, refused } from './answers';
import { ascending, range, runFor, type AnswerTo } from './runs';

/* An execution that failed and is retried, by Retry On Fail or by Retry, which passes on what the node has kept. */

useVirtualTime();

/** The kept data as n8n saves it with an execution and passes it to a retry. */
const saved = (kept: Kept) => JSON.parse(JSON.stringify(kept)) as Kept;

const { message: isLeftUnknown } = leftUnknown('');
const attach = { resource: 'tag', operation: 'attach', tagName: 'VIP' };
const answering =
	(answers: Record<number, typeof ok>): AnswerTo =>
	(contact) =>
		answers[contact] ?? ok;

describe('a retry', () => {
	/** Of 30 contacts the fourth is refused, and the outcome of the fifth is unknown. */
	async function failed() {
		const kept: Kept = {};
		const { error, to } = await runFor(30, { answerTo: answering({ 4: refused, 5: broken }), kept });
		expect(error).toBeDefined();
		return { kept: saved(kept), to };
	}

	test('needs no valid values for an item that is done', async () => {
		const { kept, to } = await failed();
		const { errors, sorted } = await runFor(30, { kept, continues: true }, { text: '' });
		expect(sorted).toEqual([]);
		const done = to.filter((contact) => contact !== 4 && contact !== 5);
		expect(range(1, 31).filter((contact) => !errors[contact - 1])).toEqual(ascending(done));
	});

	test('continues the round of a loop that failed', async () => {
		const kept: Kept = {};
		expect((await runFor(4, { kept })).sorted).toEqual([1, 2, 3, 4]);
		const answerTo: AnswerTo = async (contact) => (contact === 4 ? await sleep(50).then(() => refused) : ok);
		expect((await runFor(4, { kept, answerTo })).error).toBeDefined();
		const retried = saved(kept);
		expect((await runFor(4, { kept: retried })).to).toEqual([4]);
		expect((await runFor(4, { kept: retried })).sorted).toEqual([1, 2, 3, 4]);
	});

	test.each([true, false])('repeats a harmless one in doubt (other try: %s)', async (isTry) => {
		const [kept, triesKey]: [Kept, object] = [{}, {}];
		const changes = { kept, triesKey, answerTo: answering({ 2: broken }) };
		expect((await runFor(2, changes, attach)).error).toBeDefined();
		const next = isTry ? { kept, triesKey } : { kept: saved(kept) };
		expect((await runFor(2, next, attach)).to).toEqual([2]);
	});

	test('knows after an update what was done', async () => {
		// As version 0.3 kept it, without its other fingerprint.
		const identity = 'rrCJdW';
		const kept = { origin: 'исходная', items: `a      ${identity}u      ${identity}` };
		const contacts = Array<object>(3).fill({ id: 5 });
		const { to, errors } = await runFor(3, { kept, continues: true }, {}, contacts);
		expect([to, errors]).toEqual([[5], ['', isLeftUnknown, '']]);
	});

	test('outputs the rows of the latest run of a request', async () => {
		const kept: Kept = {};
		for (const [tagName, body] of [
			['VIP', { success: true, id: 'мск-5' }],
			['Новый лид', { success: true }],
		] as const) {
			const answerTo = answering({ 1: { ...ok, body }, 2: refused });
			await runFor(2, { kept, answerTo }, { ...attach, tagName });
			const { json } = await runFor(2, { kept: saved(kept) }, { ...attach, tagName });
			expect(json[0]).toEqual(body);
		}
	});
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const people = 15;

const step = fc.record({
	answers: fc.array(fc.constantFrom(ok, ok, refused, broken), { minLength: people, maxLength: people }),
	/** Whether it is another try of the same run, with Retry On Fail. */
	isTry: fc.boolean(),
	text: fc.constantFrom('Здравствуйте!', 'Добрый день!'),
});

test('all get a message once in any retries (generated)', async () => {
	/** @param isFromFirst whether each retry starts from the first execution, and not from the latest one */
	const property = async (steps: Step[], isFromFirst: boolean) => {
		const accepted: number[] = [];
		const unknown = new Set<number>();
		let entries = new FakeEntries();
		let error: Error | undefined;
		let [first, kept, triesKey]: [Kept | undefined, Kept, object] = [undefined, {}, {}];
		const last = { answers: range(0, people).map(() => ok), isTry: false, text: 'Добрый день!' };
		for (const { answers, isTry, text } of [...steps, last]) {
			if (!isTry) {
				first ??= kept.items === undefined ? undefined : saved(kept);
				[kept, triesKey] = [saved((isFromFirst && first) || kept), {}];
				entries = entries.inAnotherProcess();
			}
			const answerTo = (contact: number) => {
				const answer = answers[contact - 1]!;
				if (answer !== refused) accepted.push(contact);
				if (answer === broken) unknown.add(contact);
				return answer;
			};
			// Only the database knows what retries of the same execution have done.
			const changes = { kept, triesKey, answerTo, entries: isFromFirst ? entries : undefined };
			({ error } = await runFor(people, changes, { text }));
			if (!error) break;
		}
		expect(ascending(accepted)).toEqual(range(1, people + 1));
		expect(error?.message.replace(/ \[Item \d+\]/, '')).toBe(unknown.size ? isLeftUnknown : undefined);
	};
	const steps = fc.array(step, { minLength: 1, maxLength: 5 });
	await fc.assert(fc.asyncProperty(steps, fc.boolean(), property), { numRuns: times(8) });
});
