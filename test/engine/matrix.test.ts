import type { Expected } from '../../nodes/ChatbotService/client/failure/advice';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { Emulator } from '../../sandbox/emulator';
import { beginsByReading, operations, unknownOf, type Operation } from '../operations';
import { times } from '../times';
import { modes, runAll, type Attempt, type Mode } from './everyOperation';
import { useFastTime } from './fastTime';
import { faults, type Outcome } from './faults';
import { withEmulator } from './harness';

/*
 * Every operation with faults of every kind: how often the request is sent, what is output, and what the error says. The error mode
 * changes from fault to fault, so that each operation meets each of them. By day, each fault meets a quarter of the operations.
 */

useFastTime();

const modeOf = (place: number): Mode => modes[place % modes.length]!;

/** The operations that meet a fault, in groups that are small enough for a busy machine. */
const groupsAt = (place: number): Operation[][] =>
	(times(1) > 1 ? [0, 1, 2, 3] : [0]).map((more) =>
		operations.filter((_, index) => (index + place + more) % 4 === 0),
	);

function expectFailure(attempt: Attempt, { message, description }: Outcome['failure']) {
	const { context, mode, result, rows, said, title } = attempt;
	const [, text] = said;
	// A run of one item: the error contains no counts of items.
	const isWhole = String(text).endsWith('.') && !String(text).includes(' items');
	const expected = [`${message} [Item 0]`, expect.stringContaining(description), true];
	expect([context, ...said, isWhole]).toEqual([context, ...expected]);
	if (mode !== 'stopWorkflow') expect([context, rows[0]?.pairedItem]).toEqual([context, { item: 0 }]);
	if (mode === 'continueErrorOutput')
		expect([context, rows[0]?.json.lead, result.outputs[0]]).toEqual([context, title, []]);
}

function expectOutcome(attempt: Attempt, outcome: Outcome, token: string) {
	const { failure, isUnknown = false, says = /./, attempts = 1 } = outcome;
	const { context, idempotent, sent, said, result } = attempt;
	expect([context, JSON.stringify(result.run).includes(token)]).toEqual([context, false]);
	const isSuccess = outcome.onlyForReading === true && !beginsByReading(attempt);
	expect([context, sent.length]).toEqual([context, idempotent && !isSuccess ? attempts : 1]);
	if (isSuccess)
		return expect([context, result.error, result.outputs[0]!.length]).toEqual([context, undefined, 1]);
	expectFailure(attempt, failure);
	const text = String(said[1]);
	const isSaid = isUnknown === 'changing' ? !beginsByReading(attempt) : isUnknown;
	expect([context, text, text.startsWith(unknownOf(attempt))]).toEqual([context, text, isSaid]);
	expect([context, text]).toEqual([context, expect.stringMatching(says)]);
}

const meetsFault = withEmulator(async (service: Emulator, _name: string, outcome: Outcome, place: number) => {
	const { fault } = outcome;
	service.faults.add(fault);
	const requestOptions = fault.kind === 'timeout' ? { timeout: 2000 } : {};
	for (const chosen of groupsAt(place))
		for (const attempt of await runAll(service, modeOf(place), { chosen, requestOptions }))
			expectOutcome(attempt, outcome, service.token);
});

/* A time-out alone, so that no request is late because of the others: it passes, and so does the patience of a request alone. */
for (const isTimeout of [false, true])
	(isTimeout ? test : test.concurrent).each(
		faults
			.map(([name, outcome], place) => [name, outcome, place] as const)
			.filter(([, { fault }]) => (fault.kind === 'timeout') === isTimeout),
	)('%s: only what is idempotent is repeated', meetsFault);

/** What an operation names that may not exist. */
const expectedOf = ({ variants: [usual] }: Operation): Expected[] =>
	usual!.fields.flatMap(({ label, whatItIs }) => (whatItIs ? [{ label, whatItIs }] : []));

const nothingFound = (status: number, of: Expected[], words: string) =>
	of.length ? failures.notFound(of, words) : failures.unknownEndpoint(status, of, words);

test.concurrent.each<[string, number, typeof nothingFound]>([
	['finds nothing, the error says what does not exist', 404, nothingFound],
	['accepts no such request, the error blames the address', 405, failures.unknownEndpoint],
])(
	'when the service %s',
	withEmulator(async (service, _name, status, failureOf) => {
		const words = 'Нет';
		service.faults.add({ kind: 'answer', status, body: { message: words } });
		for (const attempt of await runAll(service, modeOf(0))) {
			const { context, sent, said } = attempt;
			const { message, description } = failureOf(status, expectedOf(attempt), words);
			const saying = [`${message} [Item 0]`, expect.stringContaining(description)];
			expect([context, sent.length, ...said]).toEqual([context, 1, ...saying]);
		}
	}),
);
