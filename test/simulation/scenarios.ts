import { accountLimits } from '../../nodes/ChatbotService/client/credential/account';
import { LARAVEL_LIMITS, type Limit, type Limits } from '../../sandbox/emulator/limits';
import { BusyClock, type Broadcast, type SendingProcess } from './broadcast';
import type { Behaviour } from './service';

/* The scenarios and targets for the constants of the rate limits. The targets leave a small margin for changes of these. */

type Random = () => number;

/** The target for every broadcast of a scenario. No request may be given up. */
interface Aim {
	/** The share of the allowed rate that is used, between the first and the last accepted request. */
	share: number;
	refused: number;
}

interface Given extends Partial<Omit<Broadcast, 'service' | 'limits'>> {
	limits?: Partial<Limits>;
	/** What the service allows to the account in the long run; two requests per second unless stated. */
	allowed?: Limit;
	service?: Partial<Behaviour>;
}

export interface Scenario {
	title: string;
	aim: Aim;
	/** @returns the broadcast, and what the service allows to the account in the long run */
	given: (random: Random) => Broadcast & { allowed: Limit };
}

const between = (random: Random, from: number, to: number) => () => from + random() * (to - from);

/** A single process sends 400 requests, unless stated. */
const scenario = (title: string, aim: Aim, given: (random: Random) => Given): Scenario => ({
	title,
	aim,
	given(random) {
		const { allowed = { requests: 2, windowMs: 1000 }, limits, service, ...others } = given(random);
		return {
			limits: accountLimits(2),
			workers: 1,
			bursts: false,
			processes: sending(400),
			service: { ...service, limits: { account: allowed, headers: 'none', ...limits } },
			allowed,
			...others,
		};
	},
});

const sending = (...counts: number[]): SendingProcess[] => counts.map((count) => ({ requests: [{ count }] }));

/** The usual network. */
const usual = (random: Random): Partial<Behaviour> => ({
	latencyMs: between(random, 0, 20),
	answerMs: between(random, 20, 100),
});

const usually = (title: string, aim: Aim, given: Given) =>
	scenario(title, aim, (random) => ({ service: usual(random), ...given }));

/** Counts like the framework behind the service. */
const laravel: Partial<Limits> = { ...LARAVEL_LIMITS, headers: 'true' };

const late = (title: string, aim: Aim, latencyMs: number, given: Given = {}) =>
	scenario(title, aim, (random) => ({ service: { latencyMs: between(random, 0, latencyMs) }, ...given }));

const busy = (title: string, aim: Aim, freeMs: number, busyMs: number) =>
	scenario(title, aim, (random) => {
		const clock = new BusyClock(between(random, 0, freeMs), between(random, 0, busyMs));
		const service = {
			latencyMs: () => clock.after(1, 1, 1) + 1,
			answerMs: () => clock.after(100 + random() * 200),
		};
		return { clock, service };
	});

/** One run that sends to contacts in several messengers. */
const mixed = (title: string, aim: Aim, requests: SendingProcess['requests']) =>
	usually(title, aim, { processes: [{ requests }] });

const inBursts = (title: string, aim: Aim, given: Given) => usually(title, aim, { bursts: true, ...given });

export const scenarios: Scenario[] = [
	scenario('fast answers', { share: 0.99, refused: 0 }, () => ({})),
	late('counted up to 60 ms late', { share: 0.95, refused: 1 }, 60),
	late('counted up to 400 ms late', { share: 0.77, refused: 3 }, 400, { processes: sending(150) }),
	// After each refusal, the pace forgets more slowly, or one more refusal would follow after every 250 messages.
	late('3,000 counted up to 150 ms late', { share: 0.92, refused: 4 }, 150, { processes: sending(3000) }),
	scenario('six tenths are allowed, with a wait that is too short', { share: 0.88, refused: 8 }, () => ({
		allowed: { requests: 6, windowMs: 5000 },
		service: { retryAfterMs: 1000 },
	})),

	// A process that is delayed again before it sends assumes that the request was counted too early: a few are refused.
	busy('held up for moments, half of the time', { share: 0.84, refused: 2 }, 50, 50),
	busy('held up most of the time', { share: 0.82, refused: 1 }, 100, 300),

	// Without 'n8n Processes' a process may starve for minutes: slowed down to a tenth, it finds the window full each time, until it is
	// lucky or the others are done. It keeps trying. Chance decides whether and when this starts.
	usually('2 processes', { share: 0.89, refused: 14 }, { processes: sending(300, 300) }),
	usually('4 processes', { share: 0.43, refused: 145 }, { processes: sending(150, 150, 150, 150) }),
	usually(
		'2 processes, n8n Processes 2',
		{ share: 0.94, refused: 1 },
		{ workers: 2, processes: sending(300, 300) },
	),

	// The longer of the two: 300 requests at 2 per second, or 15 messages to WhatsApp at 1 in 10 seconds.
	mixed('285 to VK and 15 to WhatsApp', { share: 0.94, refused: 0 }, [
		{ count: 285, messenger: 'vk' },
		{ count: 15, messenger: 'whatsapp' },
	]),
	mixed('150 to MAX, 150 to Viber and 300 to Telegram', { share: 0.94, refused: 0 }, [
		{ count: 150, messenger: 'max' },
		{ count: 150, messenger: 'viber' },
		{ count: 300, messenger: 'telegram' },
	]),

	late('Laravel, counted up to 150 ms late', { share: 0.945, refused: 0 }, 150, { limits: laravel }),
	usually(
		'Laravel, one joins another after 25 s',
		{ share: 0.97, refused: 6 },
		{ limits: laravel, processes: [...sending(300), { ...sending(150)[0]!, startsAt: 25_000 }] },
	),
	usually(
		'Laravel, 3 processes, no headers',
		{ share: 1.1, refused: 14 },
		{ limits: { ...laravel, headers: 'none' }, processes: sending(150, 150, 150) },
	),
	late('Laravel, headers that never change', { share: 0.97, refused: 0 }, 20, {
		limits: { ...laravel, headers: 'constant' },
	}),
	late('Laravel, headers that jump', { share: 0.97, refused: 0 }, 20, {
		limits: { ...laravel, headers: 'jumping' },
	}),

	// A hundred take at most two and a half seconds.
	inBursts('Bursts, 100 requests', { share: 20, refused: 0 }, { limits: laravel, processes: sending(100) }),
	inBursts('Bursts, 500 requests', { share: 1.01, refused: 0 }, { limits: laravel, processes: sending(500) }),
	inBursts(
		'Bursts, 2 processes of 200',
		{ share: 1.05, refused: 4 },
		{ limits: laravel, processes: sending(200, 200) },
	),
	inBursts(
		'Bursts, headers that jump, 120 a minute',
		{ share: 0.95, refused: 2 },
		{ limits: { ...laravel, headers: 'jumping' }, processes: sending(150) },
	),
	inBursts(
		'Bursts, headers of 120 that never change, really 2 a second',
		{ share: 0.9, refused: 3 },
		{ limits: { headers: 'constant', saidLimit: 120 }, processes: sending(150) },
	),
];
