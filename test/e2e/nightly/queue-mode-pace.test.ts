import { type Execution, poll, until } from '../../../sandbox/host';
import { type Contact, LARAVEL_LIMITS, type Limits } from '../../../sandbox/emulator';
import { deliveredTo, expectEverybodyOnce, expectSuccess, newPeople, SEND } from '../support/interrupted';
import { duringTests } from '../support/duringTests';
import { limit, openQueueBench, takenBy } from '../support/queueBench';

/* Two workers send with one account, and respect its limit together. */

const WORKERS = 2;

/** With as many executions as all workers run at once, each worker gets its share. */
const EXECUTIONS_PER_WORKER = 2;

/** One execution of the workflow. */
interface Run {
	executionId: string;
	worker: number;
	people: Contact[];
}

const bench = duringTests(
	async () =>
		await openQueueBench('queue-mode-pace', {
			limits: { account: limit },
			workers: WORKERS,
			concurrency: EXECUTIONS_PER_WORKER,
		}),
);

interface Case {
	title: string;
	/** The value of 'Workers' in the credential. */
	workers: number;
	/** Limits of the service, if they differ from the documented ones. */
	limits?: Partial<Limits>;
	peopleEach: number;
	least: Partial<Figures>;
	mostRefused?: number;
}

describe.each<Case>([
	{
		title: "with 'Workers' set to 2",
		workers: 2,
		peopleEach: 25,
		least: { shareWhileAllWork: 0.85 },
		mostRefused: 0.05,
	},
	// Like the public services, this one counts 120 requests in a minute and reports the rest with every answer. This shows each
	// worker how fast the other one sends. The test has to last beyond the end of a minute.
	{
		title: "with 'Workers' left at 1, at a service that says its count",
		workers: 1,
		limits: LARAVEL_LIMITS,
		peopleEach: 35,
		least: { share: 0.85, seconds: 60 },
		mostRefused: 0.03,
	},
	// Each worker assumes that it has the whole limit, and notices the other worker only by refusals. Usually the workers use nine
	// tenths of the limit. Sometimes one of them finds no gap for a while, as the simulations of the rate limit show too.
	{
		title: "with 'Workers' left at 1",
		workers: 1,
		peopleEach: 25,
		least: { shareWhileAllWork: 0.6 },
	},
])('two workers at once, $title', ({ title, workers, limits, peopleEach, least, mostRefused }) => {
	let runs: Run[];
	let executions: Execution[];
	let figures: Figures;

	beforeAll(async () => {
		bench.service.setLimits(limits ?? { account: limit });
		runs = await startRuns(workers, peopleEach);
		executions = await ended(runs);
		figures = figuresOf(runs);
		report(title, figures);
	});

	test('both workers run their share of the executions', () => {
		expect(runs.map(({ worker }) => worker).sort()).toEqual([0, 0, 1, 1]);
	});

	test('two workers that send at the same time deliver every message, and none twice', () =>
		expectDeliveredOnce(runs, executions));

	test('two workers that send at the same time share the limit of the account, and are rarely refused', () => {
		for (const [name, value] of Object.entries(least)) {
			expect(figures[name as keyof Figures]).toBeGreaterThanOrEqual(value);
		}
		if (mostRefused !== undefined) expect(figures.refused).toBeLessThan(mostRefused);
	});
});

// queue-mode-killed.test.ts tests the messages of the killed worker.
test('when one of two workers is killed, the other one delivers all of its own messages, and none twice', async () => {
	bench.service.setLimits({ account: limit });
	const runs = await startRuns(2, 10);
	await until(() => runs.every(({ people }) => deliveredTo(bench.service, people).reached.length >= 3));
	await bench.workers[0]!.kill();
	const others = runs.filter(({ worker }) => worker === 1);
	expect(others).toHaveLength(EXECUTIONS_PER_WORKER);
	expectDeliveredOnce(others, await ended(others));
});

test('no request of two concurrent workers violated the API', () => {
	bench.service.assertContract();
});

let accounts = 0;

/** Starts as many executions as all workers run at once, each for its own people, with an account that was not used before. */
async function startRuns(workers: number, peopleEach: number): Promise<Run[]> {
	const { newMailing, service } = bench;
	const { start } = await newMailing({ name: `account-${++accounts}` }, { workers });
	const started: Array<Omit<Run, 'worker'>> = [];
	while (started.length < WORKERS * EXECUTIONS_PER_WORKER) {
		const people = newPeople(service, peopleEach);
		started.push({ people, executionId: await start(people) });
	}
	return await poll(async () => {
		const taken = await takenBy(bench.workers);
		const runs = started.flatMap((each) =>
			taken
				.filter(({ executionId }) => executionId === each.executionId)
				.map(({ worker }) => ({ ...each, worker })),
		);
		return runs.length === started.length ? runs : undefined;
	});
}

const ended = async (runs: Run[]): Promise<Execution[]> =>
	await Promise.all(runs.map(async ({ executionId }) => await bench.ended(executionId)));

/** By the records of the service, and by what n8n shows. */
function expectDeliveredOnce(runs: Run[], executions: Execution[]): void {
	for (const [index, { people }] of runs.entries()) {
		const execution = executions[index]!;
		expectEverybodyOnce(bench.service, people);
		expectSuccess(execution);
		expect(execution.output(SEND)).toHaveLength(people.length);
	}
}

interface Figures {
	/** The share of the limit that was used between the first and the last accepted request. */
	share: number;
	/** The same share until the first worker had nothing left to send. */
	shareWhileAllWork: number;
	/** The share of requests that the service refused because of the limit. */
	refused: number;
	requests: number;
	seconds: number;
}

function figuresOf(runs: Run[]): Figures {
	const requestsOf = ({ people }: Run) => {
		const ids = new Set(people.map(({ id }) => id));
		return bench.service.requests.filter(({ input }) => ids.has(Number(input.contact_id)));
	};
	const momentsOf = (some: Run[]) =>
		some
			.flatMap(requestsOf)
			.filter(({ accepted }) => accepted)
			.map(({ countedAt }) => countedAt!);
	const moments = momentsOf(runs);
	const first = Math.min(...moments);
	const last = Math.max(...moments);
	const ends = [0, 1].map((worker) => Math.max(...momentsOf(runs.filter((run) => run.worker === worker))));
	const requests = runs.flatMap(requestsOf);
	return {
		share: shareBetween(first, last, moments),
		shareWhileAllWork: shareBetween(first, Math.min(...ends), moments),
		refused: requests.filter(({ refusedBy }) => refusedBy !== undefined).length / requests.length,
		requests: requests.length,
		seconds: (last - first) / 1000,
	};
}

/** The shortest time that the limit allows for so many requests, divided by the actual time. */
function shareBetween(from: number, to: number, moments: number[]): number {
	const count = moments.filter((moment) => moment >= from && moment <= to).length;
	return (Math.floor((count - 1) / limit.requests) * limit.windowMs) / (to - from);
}

/** Prints the figures, which are useful for comparisons. */
function report(title: string, { share, shareWhileAllWork, refused, requests, seconds }: Figures): void {
	const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
	process.stdout.write(
		`${title}: ${percent(share)} of the limit (${percent(shareWhileAllWork)} while both worked), ` +
			`${percent(refused)} of ${requests} requests refused, ${seconds.toFixed(1)} s\n`,
	);
}
