import { type Execution, poll, until } from '../../../sandbox/host';
import { type Contact, LARAVEL_LIMITS, type Limits } from '../../../sandbox/emulator';
import { deliveredTo, expectEverybodyOnce, expectSuccess, newPeople, SEND } from '../support/interrupted';
import { duringTests } from '../support/duringTests';
import { limit, openQueueBench, takenBy } from '../support/queueBench';

/* Two workers send by one account, and keep its limit together. */

const WORKERS = 2;

/** With as many executions as all workers take together, each of them gets its part. */
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
	/** What the credential says under 'Workers'. */
	workers: number;
	/** Of the service, where they are not the documented ones. */
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
	// A service as the public ones are: it counts 120 in a minute, and says with every answer how many are left. Each worker
	// sees by that how fast the other one sends. It has to be seen over the end of a minute.
	{
		title: "with 'Workers' left at 1, at a service that says its count",
		workers: 1,
		limits: LARAVEL_LIMITS,
		peopleEach: 35,
		least: { share: 0.85, seconds: 60 },
		mostRefused: 0.03,
	},
	// Each worker takes the whole limit for its own, and learns of the other only by what the service refuses. Usually they use
	// nine tenths; now and then one of them finds no gap for a while, as the simulations of the pace show too.
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

	test('both workers have their part of the executions', () => {
		expect(runs.map(({ worker }) => worker).sort()).toEqual([0, 0, 1, 1]);
	});

	test('two workers that send at once deliver every message, and none twice', () =>
		expectDeliveredOnce(runs, executions));

	test('two workers that send at once use the limit of the account together, and are hardly ever refused', () => {
		for (const [name, value] of Object.entries(least)) {
			expect(figures[name as keyof Figures]).toBeGreaterThanOrEqual(value);
		}
		if (mostRefused !== undefined) expect(figures.refused).toBeLessThan(mostRefused);
	});
});

// What becomes of the messages of the one that is killed is in queue-mode-killed.test.ts.
test('when one of two workers is killed, the other one delivers all of its messages, and none twice', async () => {
	bench.service.setLimits({ account: limit });
	const runs = await startRuns(2, 10);
	await until(() => runs.every(({ people }) => deliveredTo(bench.service, people).reached.length >= 3));
	await bench.workers[0]!.kill();
	const others = runs.filter(({ worker }) => worker === 1);
	expect(others).toHaveLength(EXECUTIONS_PER_WORKER);
	expectDeliveredOnce(others, await ended(others));
});

test('no request of two workers at once broke the interface', () => {
	bench.service.assertContract();
});

let accounts = 0;

/** Starts as many executions as all workers take together, each for people of its own, by an account that nobody has used. */
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

/** By what the service has recorded, and by what n8n shows. */
function expectDeliveredOnce(runs: Run[], executions: Execution[]): void {
	for (const [index, { people }] of runs.entries()) {
		const execution = executions[index]!;
		expectEverybodyOnce(bench.service, people);
		expectSuccess(execution);
		expect(execution.output(SEND)).toHaveLength(people.length);
	}
}

interface Figures {
	/** Part of the limit that was used between the first and the last accepted request. */
	share: number;
	/** The same for the time until the first worker had nothing left to send. */
	shareWhileAllWork: number;
	/** Part of the requests that the service refused because of the limit. */
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

/** The shortest time in which the limit lets so many requests pass, by the time that it took. */
function shareBetween(from: number, to: number, moments: number[]): number {
	const count = moments.filter((moment) => moment >= from && moment <= to).length;
	return (Math.floor((count - 1) / limit.requests) * limit.windowMs) / (to - from);
}

/** The figures are worth reading, whatever they are compared with. */
function report(title: string, { share, shareWhileAllWork, refused, requests, seconds }: Figures): void {
	const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
	process.stdout.write(
		`${title}: ${percent(share)} of the limit (${percent(shareWhileAllWork)} while both worked), ` +
			`${percent(refused)} of ${requests} requests refused, ${seconds.toFixed(1)} s\n`,
	);
}
