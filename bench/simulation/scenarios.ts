import { accountLimits, type Limit } from '../../nodes/ChatbotService/client/limits';
import { broadcast, seeded, shareUsed, type Broadcast } from './broadcast';
import { BusyClock } from './clock';

/* What the numbers of the pace are held against. */

/** What a broadcast came to. */
export interface Figures {
	/** Of what the service allows, between the first and the last accepted request. */
	share: number;
	refused: number;
	requests: number;
	givenUp: number;
	seconds: number;
}

/** What every broadcast of a scenario must come to, whatever the random numbers. */
export interface Aim {
	/** The least share of what the service allows. */
	share: number;
	/** The most that are refused. */
	refused: number;
	/** The longest that all of it may take. */
	seconds?: number;
	/** Set where a process may starve beside another. */
	mayGiveUp?: true;
}

/** A kind of broadcast, and what it is to come to. */
export interface Scenario {
	title: string;
	aim: Aim;
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

const scenario = (
	title: string,
	aim: Aim,
	given: Scenario['given'],
	allowed: Limit = perSecond,
): Scenario => ({ title, aim, given, allowed });

const stricter = (title: string, aim: Aim, allowed: Limit) =>
	scenario(
		title,
		aim,
		() =>
			sliding({ limits: { account: allowed }, retryAfter: allowed.windowMs < 3000 ? 'rounded up' : 1000 }),
		allowed,
	);

const busy = (title: string, aim: Aim, free: number, held: number) =>
	scenario(title, aim, (seed) => {
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

/** All that the pace is held against. The bounds have a little room below what it comes to. */
export const scenarios: Scenario[] = [
	scenario('fast answers', { share: 0.99, refused: 0 }, () => sliding({})),
	scenario('answers take up to 300 ms', { share: 0.96, refused: 0 }, (seed) =>
		sliding({ answerMs: between(seeded(seed), 0, 300) }),
	),
	scenario('the way takes up to 60 ms', { share: 0.95, refused: 3 }, (seed) =>
		sliding({ wayMs: between(seeded(seed), 0, 60) }),
	),
	scenario('the way takes up to 60 ms, answers 25 ms', { share: 0.91, refused: 3 }, (seed) =>
		sliding({ wayMs: between(seeded(seed), 0, 60), answerMs: () => 25 }),
	),
	...(
		[
			['none', { share: 0.88, refused: 3 }],
			['true', { share: 0.9, refused: 3 }],
		] as const
	).map(([headers, aim]) =>
		scenario(`counted up to 150 ms late, headers ${headers}`, aim, (seed) =>
			sliding({ headers, wayMs: between(seeded(seed), 0, 150) }, 150),
		),
	),
	scenario('counted up to 150 ms late, answers up to 150 ms more', { share: 0.82, refused: 3 }, (seed) => {
		const random = seeded(seed);
		return sliding({ wayMs: between(random, 0, 150), answerMs: between(random, 0, 150) }, 150);
	}),
	scenario('counted up to 400 ms late', { share: 0.77, refused: 4 }, (seed) =>
		sliding({ wayMs: between(seeded(seed), 0, 400) }, 150),
	),
	stricter('half is allowed', { share: 0.885, refused: 16 }, { count: 1, windowMs: 1000 }),
	scenario(
		'half is allowed, headers true, for 20 seconds',
		{ share: 0.91, refused: 2 },
		() => sliding({ limits: { account: { count: 1, windowMs: 1000 } }, headers: 'true' }, 40),
		{ count: 1, windowMs: 1000 },
	),
	stricter('a quarter is allowed', { share: 0.874, refused: 35 }, { count: 1, windowMs: 2000 }),
	stricter('six tenths are allowed', { share: 0.862, refused: 16 }, { count: 6, windowMs: 5000 }),
	busy('held up for moments, half of the time', { share: 0.93, refused: 0 }, 50, 50),
	busy('held up most of the time', { share: 0.83, refused: 0 }, 100, 300),
	busy('held up now and then', { share: 0.875, refused: 0 }, 1000, 500),
	...(
		[
			['none', { share: 0.78, refused: 45 }],
			['true', { share: 0.87, refused: 52, mayGiveUp: true }],
		] as const
	).flatMap(([headers, aim]) => [
		scenario(`two processes, headers ${headers}`, aim, (seed) => ({
			...sliding({ ...network(seed), headers }),
			processes: [...one(300), ...one(300)],
		})),
		scenario(
			`four processes, headers ${headers}`,
			{ share: 0.49, refused: 165, mayGiveUp: true },
			(seed) => ({
				...sliding({ ...network(seed), headers }),
				processes: [...one(150), ...one(150), ...one(150), ...one(150)],
			}),
		),
	]),
	scenario('two processes, Workers 2', { share: 0.94, refused: 1 }, (seed) => ({
		...sliding(network(seed)),
		workers: 2,
		processes: [...one(300), ...one(300)],
	})),
	scenario('Laravel', { share: 0.99, refused: 0 }, () => sliding(laravel)),
	scenario('Laravel, counted up to 150 ms late', { share: 0.945, refused: 0 }, (seed) =>
		sliding({ ...laravel, wayMs: between(seeded(seed), 0, 150) }),
	),
	scenario('Laravel, two processes', { share: 0.93, refused: 1 }, (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [...one(300), ...one(300)],
	})),
	scenario('Laravel, two processes, counted up to 150 ms late', { share: 0.93, refused: 1 }, (seed) => ({
		...sliding({
			...laravel,
			wayMs: between(seeded(seed), 0, 150),
			answerMs: between(seeded(seed), 20, 100),
		}),
		processes: [...one(300), ...one(300)],
	})),
	scenario('Laravel, one joins another after 25 s', { share: 0.915, refused: 2 }, (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [...one(300), { requests: 150, startsAt: 25_000 }],
	})),
	scenario('Laravel, three processes', { share: 0.96, refused: 4 }, (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [...one(150), ...one(150), ...one(150)],
	})),
	scenario('Laravel, three processes, no headers', { share: 1.1, refused: 18 }, (seed) => ({
		...sliding({ ...laravel, headers: 'none', ...network(seed) }),
		processes: [...one(150), ...one(150), ...one(150)],
	})),
	...(
		[
			['constant', { share: 0.97, refused: 0 }],
			['jumping', { share: 0.9, refused: 0 }],
		] as const
	).map(([headers, aim]) =>
		scenario(`headers lie: ${headers}, by the minute`, aim, (seed) =>
			sliding({ ...laravel, headers, wayMs: between(seeded(seed), 0, 20) }),
		),
	),
	...(
		[
			[100, { share: 20, refused: 0, seconds: 5 }],
			[500, { share: 1.01, refused: 0 }],
		] as const
	).map(([requests, aim]) =>
		scenario(`Bursts, ${requests} requests`, aim, (seed) => ({
			...sliding({ ...laravel, ...network(seed) }, requests),
			bursts: true,
		})),
	),
	scenario('Bursts, two processes of 200', { share: 0.97, refused: 6 }, (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [...one(200), ...one(200)],
		bursts: true,
	})),
	scenario('Bursts, another without joins', { share: 0.95, refused: 0 }, (seed) => ({
		...sliding({ ...laravel, ...network(seed) }),
		processes: [{ requests: 100, startsAt: 30_000 }, ...one(20)],
		bursts: true,
	})),
	...(['constant', 'jumping', 'none'] as const).map((headers) =>
		scenario(`Bursts, headers ${headers}, 120 a minute`, { share: 0.935, refused: 3 }, (seed) => ({
			...sliding({ ...laravel, headers, ...network(seed) }, 150),
			bursts: true,
		})),
	),
	...(['constant', 'jumping'] as const).map((headers) =>
		scenario(
			`Bursts, headers ${headers} of 120, really 2 a second`,
			{ share: 0.895, refused: 4 },
			(seed) => ({
				...sliding({ headers, saidLimit: 120, ...network(seed) }, 150),
				bursts: true,
			}),
		),
	),
];

/** What several broadcasts of a scenario come to, each with random numbers of its own. */
export async function measure({ given, allowed }: Scenario, seeds: number): Promise<Figures[]> {
	const figures: Figures[] = [];
	for (let seed = 1; seed <= seeds; seed++) {
		const sent = await broadcast({ seed, ...given(seed * 7) });
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

/** What misses the aim of a scenario, in words; nothing where all of it is reached. */
export function missed({ aim }: Scenario, figures: Figures[]): string[] {
	const least = Math.min(...figures.map(({ share }) => share));
	const refused = Math.max(...figures.map((each) => each.refused));
	const seconds = Math.max(...figures.map((each) => each.seconds));
	return [
		...(least < aim.share ? [`uses ${percent(least)} of at least ${percent(aim.share)}`] : []),
		...(refused > aim.refused ? [`${refused} refused of at most ${aim.refused}`] : []),
		...(seconds > (aim.seconds ?? Infinity)
			? [`takes ${Math.ceil(seconds)} s of at most ${aim.seconds}`]
			: []),
		...(!aim.mayGiveUp && figures.some(({ givenUp }) => givenUp) ? ['some are given up'] : []),
	];
}

/** A share as people read it. */
export const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
