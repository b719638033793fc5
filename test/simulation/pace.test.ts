import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import type { Messenger } from '../../sandbox/emulator';
import { LARAVEL_LIMITS, type Limit, type Limits } from '../../sandbox/emulator/limits';
import { seededRandom } from '../../sandbox/emulator/random';
import { times } from '../times';
import { useVirtualTime } from '../virtualTime';
import { broadcast, BusyClock, type SendingProcess } from './simulatedBroadcast';

/*
 * How much of a limit whole broadcasts use, and how often the service refuses their requests: the targets for the constants of the rate
 * limits, with a small margin for changes of these. All credentials say 2 requests per second.
 */

useVirtualTime();

interface Given {
	/** How many requests each process sends, or how many messages one process sends to each messenger; 400 unless stated. */
	sends?: number[] | Partial<Record<Messenger, number>>;
	/** Milliseconds after which the second process starts. */
	secondAt?: number;
	/** What 'n8n Processes' says. */
	workers?: number;
	bursts?: boolean;
	/** What the service allows to the account in the long run, and how it says so. */
	allowed?: Limit;
	limits?: Partial<Limits>;
	retryAfterMs?: number;
	/** In milliseconds, how late requests are counted at most, and how late answers come then, unless as usual. */
	late?: number;
	answers?: number;
	/** Milliseconds for which a process is free and busy at most, in turns. */
	busy?: [free: number, busy: number];
}

/** Counts like the framework behind the service. */
const laravel: Partial<Limits> = { ...LARAVEL_LIMITS, headers: 'true' };
const silent: Partial<Limits> = { ...laravel, headers: 'none' };
const jumping: Partial<Limits> = { ...laravel, headers: 'jumping' };
const of120: Partial<Limits> = { headers: 'constant', saidLimit: 120 };
const sixTenths = { requests: 6, windowMs: 5000 };

/** The share of the allowed rate is that between the first and the last accepted request. No request may be given up. */
const scenarios: Array<[title: string, share: number, refused: number, given: Given]> = [
	['fast answers', 0.99, 0, { late: 1 }],
	['answers after up to 20 s', 0.45, 0, { answers: 20_000, sends: [150] }],
	['counted up to 60 ms late', 0.95, 1, { late: 60 }],
	['counted up to 400 ms late', 0.77, 3, { late: 400, sends: [150] }],
	// After each refusal, the pace forgets more slowly, or one more refusal would follow after every 250 messages.
	['3,000 counted up to 150 ms late', 0.92, 4, { late: 150, sends: [3000] }],
	['six tenths are allowed', 0.88, 8, { late: 1, allowed: sixTenths, retryAfterMs: 1000 }],

	// A process that is delayed again before it sends assumes that the request was counted too early: a few are refused.
	['held up most of the time', 0.82, 1, { busy: [100, 300] }],

	// Without 'n8n Processes' a process may starve for minutes: slowed down to a tenth, it finds the window full each time, until it is
	// lucky or the others are done. It keeps trying. Chance decides whether and when this starts.
	['2 processes', 0.89, 14, { sends: [300, 300] }],
	['4 processes', 0.43, 145, { sends: [150, 150, 150, 150] }],
	['2 processes, n8n Processes 2', 0.94, 1, { sends: [300, 300], workers: 2 }],

	// The longer of the two: 300 requests at 2 per second, or 15 messages to WhatsApp at 1 in 10 seconds.
	['285 to VK and 15 to WhatsApp', 0.94, 0, { sends: { vk: 285, whatsapp: 15 } }],
	['300 to MAX and Viber, 300 to Telegram', 0.94, 0, { sends: { max: 150, viber: 150, telegram: 300 } }],

	['Laravel, counted up to 150 ms late', 0.945, 0, { late: 150, limits: laravel }],
	['Laravel, one joins after 25 s', 0.97, 6, { limits: laravel, sends: [300, 150], secondAt: 25_000 }],
	['Laravel, 3 processes, no headers', 1.1, 14, { limits: silent, sends: [150, 150, 150] }],

	// A hundred take at most two and a half seconds.
	['Bursts, 100 requests', 20, 0, { bursts: true, limits: laravel, sends: [100] }],
	['Bursts, 500 requests', 1.01, 0, { bursts: true, limits: laravel, sends: [500] }],
	['Bursts, 2 processes of 200', 1.05, 4, { bursts: true, limits: laravel, sends: [200, 200] }],
	['Bursts, headers that jump', 0.95, 2, { bursts: true, limits: jumping, sends: [150] }],
	['Bursts, headers of 120, really 2 a second', 0.9, 3, { bursts: true, limits: of120, sends: [150] }],
];

test.each(scenarios)('the pace reaches its targets: %s', async (_, share, refused, given) => {
	for (let seed = 1; seed <= Math.min(times(1), 3); seed++) {
		const { allowed = { requests: 2, windowMs: 1000 } } = given;
		const { arrivals, givenUp } = await performed(given, allowed, seededRandom(seed));
		const accepted = arrivals.filter(({ isAccepted }) => isAccepted);
		const spanMs = accepted.at(-1)!.at - accepted[0]!.at;
		const shortestMs = Math.floor((accepted.length - 1) / allowed.requests) * allowed.windowMs;
		expect(givenUp).toBe(0);
		expect(shortestMs / spanMs).toBeGreaterThanOrEqual(share);
		expect(arrivals.length - accepted.length).toBeLessThanOrEqual(refused);
	}
});

async function performed(given: Given, allowed: Limit, random: () => number) {
	const { sends = [400], secondAt, workers = 1, bursts = false, late, answers, busy, ...rest } = given;
	const between = (from: number, to: number) => () => from + random() * (to - from);
	const clock = busy && new BusyClock(between(0, busy[0]), between(0, busy[1]));
	const network = clock
		? { latencyMs: () => clock.after(1, 1, 1) + 1, answerMs: () => clock.after(100 + random() * 200) }
		: late
			? { latencyMs: between(0, late) }
			: { latencyMs: between(0, 20), answerMs: between(20, answers ?? 100) };
	const messages = Object.entries(sends).map(([to, count]) => ({ messenger: to as Messenger, count }));
	const processes: SendingProcess[] = Array.isArray(sends)
		? sends.map((count, index) => ({ requests: [{ count }], startsAt: (index && secondAt) || 0 }))
		: [{ requests: messages }];
	const limits: Partial<Limits> = { account: allowed, headers: 'none', ...rest.limits };
	const pace = { limits: readAccount({ requestsPerSecond: 2 }).limits, workers, bursts };
	return await broadcast(pace, processes, { ...network, ...rest, limits }, clock);
}

/* The service allows 2 requests per second, then half of that, then all again, and tells it only by refusing requests. */
test('the pace follows a limit down, and up again', async () => {
	/** How many requests the service allows in each of these minutes, accepts at least, and refuses at most. */
	const story = [
		// As many leave as are allowed.
		{ minutes: [0, 1], allows: 120, accepts: 119, refuses: 0 },
		// Two or three refusals slow the pace down.
		{ minutes: [2], allows: 60, accepts: 54, refuses: 3 },
		// At most once a minute, it tries whether more is allowed.
		{ minutes: [3, 4, 5, 6, 7, 8, 9], allows: 60, accepts: 54, refuses: 1 },
		// When more is allowed again, it recovers within two minutes.
		{ minutes: [10, 11], allows: 120, accepts: 60, refuses: 0 },
		// Again, as many leave as are allowed.
		{ minutes: [12, 13, 14], allows: 120, accepts: 119, refuses: 0 },
	];
	const later = story.map(({ minutes, allows }) => ({
		fromMs: minutes[0]! * 60_000,
		limits: { account: { requests: allows / 60, windowMs: 1000 }, headers: 'none' as const },
	}));
	const pace = { limits: readAccount({ requestsPerSecond: 2 }).limits, workers: 1, bursts: false };
	const behaviour = { limits: later[0]!.limits, later };
	const { arrivals, givenUp } = await broadcast(pace, [{ requests: [{ count: 1500 }] }], behaviour);
	expect(givenUp).toBe(0);
	for (const { minutes, accepts, refuses } of story)
		for (const minute of minutes) {
			const came = arrivals.filter(({ at }) => Math.floor(at / 60_000) === minute);
			const accepted = came.filter(({ isAccepted }) => isAccepted).length;
			expect([minute, accepted >= accepts, came.length - accepted <= refuses]).toEqual([minute, true, true]);
		}
});
