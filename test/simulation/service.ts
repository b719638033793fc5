import { readCount } from '../../nodes/ChatbotService/client/http/headers';
import { Limiter, type LimitName, type Limits } from '../../sandbox/emulator/limits';

/* A service in virtual time, with the limits of the emulator: when requests arrive, which are refused, and what answers say. */

export interface Behaviour {
	limits: Partial<Limits>;
	/** Other limits, each from a time on. */
	later?: Array<{ fromMs: number; limits: Partial<Limits> }>;
	/** The time until a request is counted. */
	latencyMs: () => number;
	/** The time from counting to the arrival of the answer. */
	answerMs: () => number;
	/** What every refusal asks to wait, instead of the rest of the window. */
	retryAfterMs?: number;
}

export class SimulatedService {
	/** Whether each request was accepted, and when it was counted. */
	readonly arrivals: Array<{ at: number; isAccepted: boolean }> = [];
	private readonly limiter = new Limiter();
	private readonly behaviour: Behaviour;

	constructor(behaviour: Partial<Behaviour> & Pick<Behaviour, 'limits'>) {
		this.behaviour = { latencyMs: () => 1, answerMs: () => 1, ...behaviour };
		this.limiter.set(behaviour.limits);
		for (const { fromMs, limits } of behaviour.later ?? [])
			setTimeout(() => this.limiter.set(limits), fromMs);
	}

	/** @param messenger of a message */
	async receive(messenger?: LimitName) {
		await wait(this.behaviour.latencyMs());
		const at = performance.now();
		let counted: ReturnType<Limiter['count']> = { isRefused: false, headers: {} };
		for (const name of ['account', ...(messenger ? [messenger] : [])] as const) {
			counted = this.limiter.count(name, '', at, counted.headers);
			if (counted.isRefused) break;
		}
		const { isRefused, headers } = counted;
		this.arrivals.push({ at, isAccepted: !isRefused });
		await wait(this.behaviour.answerMs());
		const { retryAfterMs = Number(headers['retry-after']) * 1000 } = this.behaviour;
		return { isRefused, retryAfterMs, count: readCount(headers) };
	}

	get accepted() {
		return this.arrivals.filter(({ isAccepted }) => isAccepted);
	}

	get refused() {
		return this.arrivals.length - this.accepted.length;
	}
}

export const wait = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
