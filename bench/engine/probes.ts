import { subscribe } from 'node:diagnostics_channel';

const tickMs = 5;

/** Measures this process from outside the engine, in the same way for every contender. */
export class Probes {
	private inFlight = 0;
	private mostInFlight = 0;
	private startedAt = 0;
	private firstSendAt: number | undefined;
	private lastTickAt = 0;
	private blocked = 0;
	private blockedAt = 0;
	private ticker: NodeJS.Timeout | undefined;

	constructor() {
		subscribe('http.client.request.start', () => {
			this.firstSendAt ??= performance.now();
			this.inFlight++;
			this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
		});
		subscribe('http.client.response.finish', () => this.inFlight--);
		subscribe('http.client.request.error', () => this.inFlight--);
	}

	start() {
		this.mostInFlight = this.inFlight;
		this.firstSendAt = undefined;
		this.blocked = this.blockedAt = 0;
		this.startedAt = this.lastTickAt = performance.now();
		this.ticker = setInterval(() => this.tick(), tickMs);
	}

	stop() {
		this.tick();
		clearInterval(this.ticker);
		return {
			inFlight: this.mostInFlight,
			firstSendMs: (this.firstSendAt ?? performance.now()) - this.startedAt,
			blockedMs: this.blocked,
			blockedAtMs: this.blockedAt,
		};
	}

	private tick() {
		const now = performance.now();
		const blocked = now - this.lastTickAt - tickMs;
		if (blocked > this.blocked) {
			this.blocked = blocked;
			this.blockedAt = this.lastTickAt - this.startedAt;
		}
		this.lastTickAt = now;
	}
}
