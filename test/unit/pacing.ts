import { VirtualClock } from '../../bench/simulation/clock';
import { accountLimits } from '../../nodes/ChatbotService/client/account';
import type { Failure } from '../../nodes/ChatbotService/client/failure';
import type { Count } from '../../nodes/ChatbotService/client/pace/bursts';
import type { Run } from '../../nodes/ChatbotService/client/retry';
import type { Limits, Pace } from '../../nodes/ChatbotService/client/pace/limits';
import { Scheduler, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import type { Failed } from '../../nodes/ChatbotService/client/result';

/* Requests of an account in virtual time: its real scheduler, and a service whose answers the test determines. */

/** How a request ends; by default, it is answered and has succeeded. */
export interface Ending {
	/** Trouble that is not the fault of the request. */
	failure?: Failure;
	isAnswered?: boolean;
	count?: Count;
}

/** A request. By default, it belongs to its own run, and is answered at once. */
export interface Request {
	run?: Run;
	name?: string;
	limits?: Limits;
	answer?: () => Ending | Promise<Ending>;
}

/** How a request ends: 'done', 'left' if its run leaves before, or a failure. */
export type End = 'done' | 'left' | Failure;

export const newRun = (): Run => ({ isPatient: true });

export const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

export const paceOf = (perSecond: number, changes: Partial<Pace> = {}): Pace => ({
	limits: accountLimits(perSecond),
	workers: 1,
	bursts: false,
	...changes,
});

export const unlimited = paceOf(0);

export function accountWith(pace = paceOf(2), clock = new VirtualClock()) {
	const scheduler = new Scheduler(clock);
	scheduler.use(pace);
	/** The requests that have left, and when. */
	const left: Array<{ name: string; at: number }> = [];
	const names = () => left.map(({ name }) => name);
	const timesOf = (name: string) => left.filter((each) => each.name === name).map(({ at }) => at);

	/** Sends a request with its slot, and again after trouble, as the client does. */
	async function deliver(slot: Slot | Failed | undefined, request: Required<Request>): Promise<End> {
		if (!slot) return 'left';
		if ('failure' in slot) return slot.failure;
		const { run, name, limits, answer } = request;
		left.push({ name, at: clock.now() });
		const { failure, isAnswered = true, count } = await answer();
		const retry = failure && scheduler.trouble(slot, failure);
		scheduler.release(slot, isAnswered, count);
		if (!failure || !retry) return failure ?? 'done';
		return await deliver(await scheduler.slot({ run, limits, ...retry }), request);
	}

	/**
	 * Sends requests of one run: each waits for its slot when the one before it has left. If one is told that the trouble takes too long,
	 * those after it end too.
	 */
	async function sendAll(requests: string[], given: Request = {}): Promise<End[]> {
		const { run = newRun(), limits = {}, answer = () => ({}) } = given;
		const ends: Array<Promise<End>> = [];
		for (const [index, name] of requests.entries()) {
			const slot = await scheduler.slot({ run, limits, behind: requests.length - index - 1 });
			const isOver = slot && 'failure' in slot;
			ends.push(...times(isOver ? requests.length - index : 1, deliver(slot, { run, name, limits, answer })));
			if (isOver) break;
		}
		return await Promise.all(ends);
	}
	const send = async ({ name = 'x', ...given }: Request = {}) => (await sendAll([name], given))[0]!;

	/** An ending that comes after a while. */
	const after =
		(milliseconds: number, ending: Ending | (() => Ending) = {}) =>
		async () => {
			await clock.sleep(milliseconds);
			return typeof ending === 'function' ? ending() : ending;
		};

	/** Functions that answer the requests with the answer `pending`. */
	const open: Array<(ending?: Ending) => void> = [];
	const pending = async () =>
		await new Promise<Ending>((resolve) => open.push((ending = {}) => resolve(ending)));

	/** How requests end, for which time passes. */
	async function inTime<T>(sent: Promise<T>): Promise<T> {
		await clock.run();
		return await sent;
	}

	return { clock, scheduler, left, names, timesOf, send, sendAll, after, open, pending, inTime };
}

/** Endings one after the other; the last one also for all further requests. */
export function inTurn(...endings: Ending[]): () => Ending {
	let asked = 0;
	return () => endings[Math.min(asked++, endings.length - 1)]!;
}
