import { accountLimits, type Limit } from '../../nodes/ChatbotService/client/limits';
import { broadcast, seeded, shareUsed, type Broadcast } from './broadcast';
import { BusyClock } from './clock';

/* What the numbers of the pace are held against. */

/** What a scenario came to. */
export interface Figures {
	/** Of what the service allows, between the first and the last accepted request. */
	share: number;
	refused: number;
	requests: number;
	givenUp: number;
	seconds: number;
}

export interface Scenario {
	title: string;
	/** @param seed the same broadcast for the same number */
	given: (seed: number) => Broadcast;
	/** What the service allows. */
	allowed: Limit;
}

const account = accountLimits(2);
const perSecond: Limit = { count: 2, windowMs: 1000 };
const perMinute: Limit = { count: 120, windowMs: 60_000 };
const one = (requests: number): Broadcast['processes'] => [{ requests }];
const sliding = (service: Broadcast['service'], requests = 400): Broadcast => ({
	limits: account,
	processes: one(requests),
	service: { limits: { account: perSecond }, ...service },
});
/** As the framework behind the service counts. */
const laravel = {
	limits: { account: perMinute },
	window: 'fixed',
	retryAfter: 'cut off',
	headers: 'true',
} as const;
const between = (random: () => number, from: number, to: number) => () => from + random() * (to - from);

/** Ways and answers as on most days. */
function network(seed: number) {
	const random = seeded(seed);
	return { wayMs: between(random, 0, 20), answerMs: between(random, 20, 100) };
}

const scenario = (title: string, given: Scenario['given'], allowed: Limit = perSecond): Scenario => ({
	title,
	given,
	allowed,
});

const stricter = (title: string, allowed: Limit) =>
	scenario(
		title,
		() =>
			sliding({ limits: { account: allowed }, retryAfter: allowed.windowMs < 3000 ? 'rounded up' : 1000 }),
		allowed,
	);

const busy = (title: string, free: number, held: number) =>
	scenario(title, (seed) => {
		const random = seeded(seed);
		const clock = new BusyClock(between(random, 0, free), between(random, 0, held));
		return {
			...sliding({
				wayMs: () => clock.after(1, 1, 1) + 1,
				answerMs: () => clock.after(100 + random() * 200),
			}),
			clock,
		};
	});

export const scenarios: Scenario[] = [
	scenario('fast answers', () => sliding({})),
	scenario('answers take up to 300 ms', (seed) => sliding({ answerMs: between(seeded(seed), 0, 300) })),
	scenario('the way takes up to 60 ms', (seed) => sliding({ wayMs: between(seeded(seed), 0, 60) })),
	scenario('the way takes up to 60 ms, answers 25 ms', (seed) =>
		sliding({ wayMs: between(seeded(seed), 0, 60), answerMs: () => 25 }),
	),
	...(['none', 'true'] as const).map((headers) =>
		scenario(`counted up to 150 ms late, headers ${headers}`, (seed) =>
			sliding({ headers, wayMs: between(seeded(seed), 0, 150) }, 150),
		),
	),
	scenario('counted up to 150 ms late, answers up to 150 ms more', (seed) => {
		const random = seeded(seed);
		return sliding({ wayMs: between(random, 0, 150), answerMs: between(random, 0, 150) }, 150);
	}),
	scenario('counted up to 400 ms late', (seed) => sliding({ wayMs: between(seeded(seed), 0, 400) }, 150)),
	stricter('half is allowed', { count: 1, windowMs: 1000 }),
	stricter('a quarter is allowed', { count: 1, windowMs: 2000 }),
	stricter('six tenths are allowed', { count: 6, windowMs: 5000 }),
	busy('held up for moments, half of the time', 50, 50),
	busy('held up most of the time', 100, 300),
	busy('held up now and then', 1000, 500),
	...(['none', 'true'] as const).flatMap((headers) => [
		scenario(`two processes, headers ${headers}`, (seed) => ({
			...sliding({ ...network(seed), headers }),
			processes: [...one(300), ...one(300)],
		})),
		scenario(`four processes, headers ${headers}`, (seed) => ({
			...sliding({ ...network(seed), headers }),
			processes: [...one(150), ...one(150), ...one(150), ...one(150)],
		})),
	]),
	scenario('two processes, Workers 2', (seed) => ({
		...sliding(network(seed)),
		workers: 2,
		processes: [...one(300), ...one(300)],
	})),
	scenario('Laravel', () => sliding(laravel)),
	scenario('Laravel, counted up to 150 ms late', (seed) =>
		sliding({ ...laravel, wayMs: between(seeded(seed), 0, 150) }),
	),
	scenario('Laravel, two processes', (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [...one(300), ...one(300)],
	})),
	scenario('Laravel, two processes, counted up to 150 ms late', (seed) => ({
		...sliding({
			...laravel,
			wayMs: between(seeded(seed), 0, 150),
			answerMs: between(seeded(seed), 20, 100),
		}),
		processes: [...one(300), ...one(300)],
	})),
	scenario('Laravel, one joins another after 25 s', (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [...one(300), { requests: 150, startsAt: 25_000 }],
	})),
	scenario('Laravel, three processes', (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [...one(150), ...one(150), ...one(150)],
	})),
	scenario('Laravel, three processes, no headers', (seed) => ({
		...sliding({ ...laravel, headers: 'none', ...network(seed) }),
		processes: [...one(150), ...one(150), ...one(150)],
	})),
	...(['constant', 'jumping'] as const).map((headers) =>
		scenario(`headers lie: ${headers}, by the minute`, (seed) =>
			sliding({ ...laravel, headers, wayMs: between(seeded(seed), 0, 20) }),
		),
	),
	...([100, 500] as const).map((requests) =>
		scenario(`Bursts, ${requests} requests`, (seed) => ({
			...sliding({ ...laravel, ...network(seed) }, requests),
			bursts: true,
		})),
	),
	scenario('Bursts, two processes of 200', (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [...one(200), ...one(200)],
		bursts: true,
	})),
	scenario('Bursts, another without joins', (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [{ requests: 100, startsAt: 30_000 }, ...one(20)],
		bursts: true,
	})),
	...(['constant', 'jumping', 'none'] as const).map((headers) =>
		scenario(`Bursts, headers ${headers}, 120 a minute`, (seed) => ({
			...sliding({ ...laravel, headers, ...network(seed) }, 150),
			bursts: true,
		})),
	),
	...(['constant', 'jumping'] as const).map((headers) =>
		scenario(`Bursts, headers ${headers} of 120, really 2 a second`, (seed) => ({
			...sliding({ headers, saidLimit: 120, ...network(seed) }, 150),
			bursts: true,
		})),
	),
];

/** What the worst and the middle of several broadcasts come to. */
export async function measure({ given, allowed }: Scenario, seeds: number): Promise<Figures[]> {
	const figures: Figures[] = [];
	for (let seed = 1; seed <= seeds; seed++) {
		const sent = await broadcast(given(seed * 7));
		const { service, clock, givenUp } = sent;
		figures.push({
			share: shareUsed(sent, allowed),
			refused: service.refused,
			requests: service.arrivals.length,
			givenUp,
			seconds: clock.now() / 1000,
		});
	}
	return figures;
}
