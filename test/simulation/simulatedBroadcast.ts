import { sleep } from 'n8n-workflow';

import type { Clock } from '../../nodes/ChatbotService/client/pace/clock';
import { tooManyRequests } from '../../nodes/ChatbotService/client/failure/failure';
import { readCount } from '../../nodes/ChatbotService/client/pace/bursts';
import type { Pace } from '../../nodes/ChatbotService/client/pace/limits';
import { Scheduler, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/messageLimits';
import type { Messenger } from '../../sandbox/emulator';
import { Limiter, type Limits } from '../../sandbox/emulator/limits';
import { passTime } from '../virtualTime';

/* Broadcasts in virtual time: the real scheduler against a simulated service with the limits of the emulator. */

interface Behaviour {
	limits: Partial<Limits>;
	/** Other limits, each from a time on. */
	later?: Array<{ fromMs: number; limits: Partial<Limits> }>;
	/** The time until a request is counted. */
	latencyMs?: () => number;
	/** The time from counting to the arrival of the answer. */
	answerMs?: () => number;
	/** What every refusal asks to wait, instead of the rest of the window. */
	retryAfterMs?: number | undefined;
}

/** A process that sends: an n8n, or one of its workers. */
export interface SendingProcess {
	/** How many requests it sends; to each messenger, if they are messages. */
	requests: Array<{ count: number; messenger?: Messenger }>;
	startsAt?: number;
}

const soon = () => 1;

/** A service. It keeps whether each request was accepted, and when it was counted. */
function serviceOf({ limits, later = [], latencyMs = soon, answerMs = soon, ...given }: Behaviour) {
	const arrivals: Array<{ at: number; isAccepted: boolean }> = [];
	const limiter = new Limiter();
	limiter.set(limits);
	for (const { fromMs, limits } of later) setTimeout(() => limiter.set(limits), fromMs);

	/** @param messenger of a message */
	async function receive(messenger?: Messenger) {
		await sleep(latencyMs());
		const at = performance.now();
		let counted: ReturnType<Limiter['count']> = { isRefused: false, headers: {} };
		for (const name of ['account', ...(messenger ? [messenger] : [])] as const) {
			counted = limiter.count(name, '', at, counted.headers);
			if (counted.isRefused) break;
		}
		const { isRefused, headers } = counted;
		arrivals.push({ at, isAccepted: !isRefused });
		await sleep(answerMs());
		const { retryAfterMs = Number(headers['retry-after']) * 1000 } = given;
		return { isRefused, retryAfterMs, count: readCount(headers) };
	}
	return { arrivals, receive };
}

/** Lets all processes send with the pace of a credential, and time pass until they are done. */
export async function broadcast(pace: Pace, processes: SendingProcess[], of: Behaviour, clock?: Clock) {
	const { arrivals, receive } = serviceOf(of);
	let givenUp = 0;

	/** Sends one request until it is accepted or given up, as the client does. */
	async function deliver(slot: Slot, messenger?: Messenger) {
		const { isRefused, retryAfterMs, count } = await receive(messenger);
		const { scheduler } = slot;
		const waitMs = isRefused ? scheduler.trouble(slot, tooManyRequests(retryAfterMs)) : undefined;
		scheduler.release(slot, true, count);
		if (!isRefused) return;
		const next = waitMs === undefined ? undefined : await scheduler.slot(slot.request);
		if (!next || 'failure' in next) givenUp++;
		else await deliver(next, messenger);
	}

	const sent = processes.map(async ({ requests, startsAt = 0 }) => {
		const scheduler = new Scheduler(clock);
		scheduler.use(pace);
		await sleep(startsAt);
		// A run: its requests under the same limits ask for their slots one after the other.
		const sender = { isPatient: true };
		const all = requests.map(async ({ count, messenger }) => {
			const limits = messenger ? messageLimits(messenger) : {};
			const delivered: Array<Promise<void>> = [];
			for (let behind = count - 1; behind >= 0; behind--)
				delivered.push(deliver((await scheduler.slot({ sender, limits, behind })) as Slot, messenger));
			await Promise.all(delivered);
		});
		await Promise.all(all);
	});
	await passTime();
	await Promise.all(sent);
	return { arrivals, givenUp };
}

/** The time of a process that is repeatedly busy: what becomes due while it is busy is handled at the end of that interval. */
export class BusyClock implements Clock {
	private readonly busy: Array<{ from: number; until: number }> = [];
	private readonly startedAt = performance.now();

	/** The lengths of each interval in which the process is free, and of each in which it is busy. */
	constructor(
		private readonly freeMs: () => number,
		private readonly busyMs: () => number,
	) {}

	now = () => performance.now();

	sleep = async (milliseconds: number) => await sleep(this.after(milliseconds));

	/** How many milliseconds pass until the process continues after consecutive waits of the given lengths. */
	after(...waits: number[]): number {
		return waits.reduce((at, milliseconds) => this.free(at + milliseconds), this.now()) - this.now();
	}

	/** When the process is free, starting from a given time. */
	private free(at: number): number {
		while ((this.busy.at(-1)?.from ?? -1) <= at) {
			const from = (this.busy.at(-1)?.until ?? this.startedAt) + this.freeMs();
			this.busy.push({ from, until: from + this.busyMs() });
		}
		return this.busy.find(({ from, until }) => from <= at && at < until)?.until ?? at;
	}
}
