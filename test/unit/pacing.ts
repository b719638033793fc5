import { sleep } from 'n8n-workflow';

import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import type { Failure } from '../../nodes/ChatbotService/client/failure/failure';
import type { Count } from '../../nodes/ChatbotService/client/pace/bursts';
import type { Sender } from '../../nodes/ChatbotService/client/pace/gate';
import type { Limits, Pace } from '../../nodes/ChatbotService/client/pace/limits';
import { Scheduler, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import type { Failed } from '../../nodes/ChatbotService/client/failure/result';

/* Requests of an account in virtual time: its real scheduler, and a service whose answers the test determines. */

/** How a request ends; by default, it is answered and has succeeded. */
export interface Ending {
	/** Trouble that is not the fault of the request. */
	failure?: Failure;
	isAnswered?: boolean;
	count?: Count;
}

/** Requests of one run. By default, the run is their own, and each is answered at once. */
export interface Request {
	run?: Sender;
	limits?: Limits;
	answer?: () => Ending | Promise<Ending>;
}

/** How a request ends: 'done', 'left' if its run leaves before, or a failure. */
type End = 'done' | 'left' | Failure;

export const newRun = (): Sender => ({ isPatient: true });

/** A run that can leave. */
export function leavingRun(changes: Sender = { isPatient: true }) {
	const control = new AbortController();
	return { run: { ...changes, signal: control.signal }, leave: () => control.abort() };
}

export const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

export const paceOf = (perSecond: number, changes: Partial<Pace> = {}): Pace => ({
	...{ limits: readAccount({ requestsPerSecond: perSecond }).limits, workers: 1, bursts: false },
	...changes,
});

export const unlimited = paceOf(0);

export function accountWith(pace = paceOf(2)) {
	const scheduler = new Scheduler();
	scheduler.use(pace);
	/** The requests that have left, and when. */
	const left: Array<{ name: string; at: number }> = [];
	const names = () => left.map(({ name }) => name);
	const timesOf = (name: string) => left.filter((each) => each.name === name).map(({ at }) => at);

	/**
	 * Sends requests of one run: each waits for its slot when the one before it has left. If one is told that the trouble takes too long,
	 * those after it end too.
	 */
	async function sendAll(requests: string[], given: Request = {}): Promise<End[]> {
		const { run = newRun(), limits = {}, answer = () => ({}) } = given;

		/** Sends a request with its slot, and again after trouble, as the client does. */
		async function deliver(name: string, slot: Slot | Failed | undefined): Promise<End> {
			if (!slot) return 'left';
			if ('failure' in slot) return slot.failure;
			left.push({ name, at: performance.now() });
			const { failure, isAnswered = true, count }: Ending = await answer();
			const goesOn = failure && scheduler.trouble(slot, failure) !== undefined;
			scheduler.release(slot, isAnswered, count);
			return goesOn ? await deliver(name, await scheduler.slot(slot.request)) : (failure ?? 'done');
		}

		const ends: Array<Promise<End>> = [];
		for (const [index, name] of requests.entries()) {
			const slot = await scheduler.slot({ sender: run, limits, behind: requests.length - index - 1 });
			const isOver = slot && 'failure' in slot;
			ends.push(...times(isOver ? requests.length - index : 1, deliver(name, slot)));
			if (isOver) break;
		}
		return await Promise.all(ends);
	}
	const send = async (name: string, given?: Request) => (await sendAll([name], given))[0]!;

	return { scheduler, left, names, timesOf, send, sendAll };
}

/** An ending that comes after a while. */
export const after =
	(milliseconds: number, ending: Ending | (() => Ending) = {}) =>
	async () => {
		await sleep(milliseconds);
		return typeof ending === 'function' ? ending() : ending;
	};

/** Endings one after the other; the last one also for all further requests. */
export function inTurn(...endings: Ending[]): () => Ending {
	let asked = 0;
	return () => endings[Math.min(asked++, endings.length - 1)]!;
}

/** No answer. */
export const never = async () => await new Promise<Ending>(() => {});
