import { accountLimits } from '../../nodes/ChatbotService/client/account';
import type { Limit, Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { seededRandom } from '../../sandbox/emulator/random';
import { shareOfLimit, spreadOf } from '../figures';
import { broadcast, type Broadcast } from './broadcast';
import { BusyClock } from './clock';

/* The scenarios and targets for the constants of the rate limits. */

export interface Figures {
	/** The share of the allowed rate, between the first and the last accepted request. */
	share: number;
	refused: number;
	requests: number;
	givenUp: number;
	seconds: number;
}

/** The target for every broadcast of a scenario, with any random numbers. No request may be given up. */
export interface Aim {
	share: number;
	refused: number;
	seconds?: number;
	/** The target for the median of the broadcasts, for scenarios in which chance makes a few of them much worse. */
	median?: { share: number; refused: number };
}

export interface Scenario {
	title: string;
	aim: Aim;
	/** @param random source of the random behavior */
	given: (random: () => number) => Omit<Broadcast, 'random'>;
	/** What the service allows. */
	allowed: Limit;
}

const account = accountLimits(2);
const perSecond: Limit = { count: 2, windowMs: 1000 };
const perMinute: Limit = { count: 120, windowMs: 60_000 };
const processesOf = (count: number, requests: number): Broadcast['processes'] =>
	Array.from({ length: count }, () => ({ requests }));
const sendTo = (service: Broadcast['service'], requests = 400): ReturnType<Scenario['given']> => ({
	limits: account,
	processes: processesOf(1, requests),
	service: { limits: { account: perSecond }, ...service },
});
/** Counts like the framework behind the service. */
const laravel = {
	limits: { account: perMinute },
	window: 'fixed',
	retryAfter: 'rounded down',
	headers: 'true',
} as const;
const between = (random: () => number, from: number, to: number) => () => from + random() * (to - from);

/** The usual conditions. */
const network = (random: () => number) => ({
	latencyMs: between(random, 0, 20),
	answerMs: between(random, 20, 100),
});

const scenario = (
	title: string,
	aim: Aim,
	given: Scenario['given'],
	allowed: Limit = perSecond,
): Scenario => ({ title, aim, given, allowed });

/** A scenario under the usual conditions. */
const usual = (
	title: string,
	aim: Aim,
	service: Broadcast['service'],
	senders: Partial<ReturnType<Scenario['given']>>,
) => scenario(title, aim, (random) => ({ ...sendTo({ ...service, ...network(random) }), ...senders }));

const stricter = (title: string, aim: Aim, allowed: Limit) =>
	scenario(
		title,
		aim,
		() => sendTo({ limits: { account: allowed }, retryAfter: allowed.windowMs < 3000 ? 'rounded up' : 1000 }),
		allowed,
	);

const busy = (title: string, aim: Aim, free: number, held: number) =>
	scenario(title, aim, (random) => {
		const clock = new BusyClock(between(random, 0, free), between(random, 0, held));
		return {
			...sendTo({
				latencyMs: () => clock.after(1, 1, 1) + 1,
				answerMs: () => clock.after(100 + random() * 200),
			}),
			clock,
		};
	});

/** One run that sends to contacts in several messengers, one messenger after the other. */
const mixed = (title: string, aim: Aim, counts: Record<string, number>) =>
	scenario(title, aim, (random) => {
		const others = Object.entries(counts).map(([messenger, requests]) => ({
			requests,
			limits: messageLimits(messenger),
		}));
		const limits = Object.assign({ account: perSecond }, ...others.map((each) => each.limits)) as Limits;
		return { ...sendTo({ ...network(random), limits }), processes: [{ requests: 0, others }] };
	});

const inBursts = { processes: processesOf(1, 150), bursts: true };

/** All scenarios. The targets leave a small margin below the actual results. */
export const scenarios: Scenario[] = [
	scenario('fast answers', { share: 0.99, refused: 0 }, () => sendTo({})),
	scenario('answers take up to 300 ms', { share: 0.96, refused: 0 }, (random) =>
		sendTo({ answerMs: between(random, 0, 300) }),
	),
	scenario('counted up to 60 ms late', { share: 0.95, refused: 3 }, (random) =>
		sendTo({ latencyMs: between(random, 0, 60) }),
	),
	scenario('counted up to 60 ms late, answers 25 ms', { share: 0.91, refused: 4 }, (random) =>
		sendTo({ latencyMs: between(random, 0, 60), answerMs: () => 25 }),
	),
	scenario('counted up to 150 ms late, headers none', { share: 0.88, refused: 3 }, (random) =>
		sendTo({ latencyMs: between(random, 0, 150) }, 150),
	),
	scenario('counted up to 150 ms late, answers up to 150 ms more', { share: 0.82, refused: 3 }, (random) =>
		sendTo({ latencyMs: between(random, 0, 150), answerMs: between(random, 0, 150) }, 150),
	),
	scenario('counted up to 400 ms late', { share: 0.77, refused: 4 }, (random) =>
		sendTo({ latencyMs: between(random, 0, 400) }, 150),
	),
	stricter('half is allowed', { share: 0.885, refused: 16 }, { count: 1, windowMs: 1000 }),
	scenario(
		'half is allowed, headers true, for 20 seconds',
		{ share: 0.91, refused: 2 },
		() => sendTo({ limits: { account: { count: 1, windowMs: 1000 } }, headers: 'true' }, 40),
		{ count: 1, windowMs: 1000 },
	),
	stricter('a quarter is allowed', { share: 0.874, refused: 35 }, { count: 1, windowMs: 2000 }),
	stricter('six tenths are allowed', { share: 0.862, refused: 16 }, { count: 6, windowMs: 5000 }),
	// A process that is delayed again before it sends assumes that the request was counted too early: a few are refused.
	busy(
		'held up for moments, half of the time',
		{ share: 0.82, refused: 4, median: { share: 0.85, refused: 1 } },
		50,
		50,
	),
	busy(
		'held up most of the time',
		{ share: 0.79, refused: 4, median: { share: 0.83, refused: 0 } },
		100,
		300,
	),
	busy('held up now and then', { share: 0.875, refused: 0 }, 1000, 500),
	// Without 'Workers' a process may starve for minutes: slowed down to a tenth, it finds the window full each time, until it is
	// lucky or the others are done. It keeps trying. Chance decides whether and when this starts.
	...(
		[
			[2, { share: 0.88, refused: 16, median: { share: 0.9, refused: 14 } }],
			[4, { share: 0.38, refused: 160, median: { share: 0.43, refused: 145 } }],
		] as const
	).map(([count, aim]) =>
		usual(`${count} processes, headers none`, aim, {}, { processes: processesOf(count, 600 / count) }),
	),
	usual(
		'2 processes, Workers 2',
		{ share: 0.94, refused: 1 },
		{},
		{ workers: 2, processes: processesOf(2, 300) },
	),
	// The longer of the two: 300 requests at 2 per second, or 15 messages to WhatsApp at 1 in 10 seconds.
	mixed('285 to VK and 15 to WhatsApp', { share: 0.93, refused: 0 }, { vk: 285, whatsapp: 15 }),
	mixed('300 to VK and 450 to Telegram', { share: 0.8, refused: 0 }, { vk: 300, telegram: 450 }),
	mixed(
		'150 to MAX, 150 to Viber and 300 to Telegram',
		{ share: 0.93, refused: 0 },
		{ max: 150, viber: 150, telegram: 300 },
	),
	scenario('Laravel', { share: 0.99, refused: 0 }, () => sendTo(laravel)),
	scenario('Laravel, counted up to 150 ms late', { share: 0.945, refused: 0 }, (random) =>
		sendTo({ ...laravel, latencyMs: between(random, 0, 150) }),
	),
	usual('Laravel, 2 processes', { share: 0.98, refused: 8 }, laravel, { processes: processesOf(2, 300) }),
	scenario('Laravel, 2 processes, counted up to 150 ms late', { share: 0.98, refused: 8 }, (random) => ({
		...sendTo({
			...laravel,
			latencyMs: between(random, 0, 150),
			answerMs: between(random, 20, 100),
		}),
		processes: processesOf(2, 300),
	})),
	usual('Laravel, one joins another after 25 s', { share: 0.97, refused: 8 }, laravel, {
		processes: [{ requests: 300 }, { requests: 150, startsAt: 25_000 }],
	}),
	...(
		[
			['Laravel, 3 processes', 'true', { share: 1.11, refused: 14 }],
			['Laravel, 3 processes, no headers', 'none', { share: 1.1, refused: 18 }],
		] as const
	).map(([title, headers, aim]) =>
		usual(title, aim, { ...laravel, headers }, { processes: processesOf(3, 150) }),
	),
	...(
		[
			['constant', { share: 0.97, refused: 0 }],
			['jumping', { share: 0.72, refused: 0, median: { share: 0.97, refused: 0 } }],
		] as const
	).map(([headers, aim]) =>
		scenario(`headers lie: ${headers}, by the minute`, aim, (random) =>
			sendTo({ ...laravel, headers, latencyMs: between(random, 0, 20) }),
		),
	),
	...(
		[
			[100, { share: 20, refused: 0, seconds: 5 }],
			[500, { share: 1.01, refused: 0 }],
		] as const
	).map(([requests, aim]) =>
		usual(`Bursts, ${requests} requests`, aim, laravel, {
			processes: processesOf(1, requests),
			bursts: true,
		}),
	),
	usual('Bursts, 2 processes of 200', { share: 0.97, refused: 6 }, laravel, {
		processes: processesOf(2, 200),
		bursts: true,
	}),
	usual('Bursts, another without joins', { share: 0.95, refused: 0 }, laravel, {
		processes: [{ requests: 100, startsAt: 30_000 }, { requests: 20 }],
		bursts: true,
	}),
	...(
		[
			['constant', { share: 0.935, refused: 3 }],
			['jumping', { share: 0.4, refused: 3, median: { share: 0.96, refused: 2 } }],
			['none', { share: 0.935, refused: 3 }],
		] as const
	).map(([headers, aim]) =>
		usual(`Bursts, headers ${headers}, 120 a minute`, aim, { ...laravel, headers }, inBursts),
	),
	...(['constant', 'jumping'] as const).map((headers) =>
		usual(
			`Bursts, headers ${headers} of 120, really 2 a second`,
			{ share: 0.895, refused: 4 },
			{ headers, saidLimit: 120 },
			inBursts,
		),
	),
];

/** The results of several broadcasts of a scenario, each with its own random numbers; of one if nothing in it is random. */
export async function measure({ given, allowed }: Scenario, seeds: number): Promise<Figures[]> {
	const figures: Figures[] = [];
	let isRandom = true;
	for (let seed = 1; seed <= seeds && isRandom; seed++) {
		const seeded = seededRandom(seed);
		isRandom = false;
		const random = () => {
			isRandom = true;
			return seeded();
		};
		const { service, clock, givenUp } = await broadcast({ ...given(random), random });
		const { accepted, refused, arrivals } = service;
		const spanMs = accepted.at(-1)!.at - accepted[0]!.at;
		const limit = { requests: allowed.count, windowMs: allowed.windowMs };
		figures.push({
			share: shareOfLimit({ accepted: accepted.length, spanMs }, limit),
			refused,
			requests: arrivals.length,
			givenUp,
			seconds: clock.now() / 1000,
		});
	}
	return figures;
}

/** The missed targets of a scenario as texts; empty if all are reached. */
export function missed({ aim }: Scenario, figures: Figures[]): string[] {
	const of = (figure: keyof Figures) => spreadOf(figures.map((each) => each[figure]));
	const [share, refused, seconds, givenUp] = [of('share'), of('refused'), of('seconds'), of('givenUp')];
	const { median = aim } = aim;
	const texts = [
		share.min < aim.share && `uses ${percent(share.min)} of at least ${percent(aim.share)}`,
		share.median < median.share &&
			`uses ${percent(share.median)} of at least ${percent(median.share)} in the median`,
		refused.max > aim.refused && `${refused.max} refused of at most ${aim.refused}`,
		refused.median > median.refused && `${refused.median} refused of at most ${median.refused} in the median`,
		seconds.max > (aim.seconds ?? Infinity) && `takes ${Math.ceil(seconds.max)} s of at most ${aim.seconds}`,
		givenUp.max > 0 && `${givenUp.max} given up`,
	];
	return texts.filter((text) => text !== false);
}

export const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
