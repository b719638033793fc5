import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { baseUrlOf, services } from '../../nodes/ChatbotService/client/credential/baseUrl';
import { isReading, type Operation } from '../../nodes/ChatbotService/resources/operation';
import { call, Interrupted, type How, type Observation } from './call';
import type { ClaimName } from './claims';

/* One run of the check: with which account, and what it has found so far. It can only read; change.ts is for changes. */

export interface Settings {
	credential: ICredentialDataDecryptedObject;
	/** Name of the service; by default, that of its address. */
	service?: string | undefined;
	/** Called with the title of each call before it is made. */
	starts?: (title: string) => void;
	/** Aborted when the person interrupts the check. */
	signal?: AbortSignal;
	/** Waits; what interrupts the check ends the wait. */
	sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** What the service does about something that docs/openapi.yaml says. */
export interface Finding {
	claim: ClaimName;
	/** Undefined if it shows nothing about the claim. */
	holds: boolean | undefined;
	/** In words that say nothing about the account. */
	here: string;
}

const waitFor = async (milliseconds: number, signal: AbortSignal) =>
	await sleep(milliseconds, undefined, { signal }).catch(() => undefined);

export class Session {
	readonly calls: Observation[] = [];
	readonly findings: Finding[] = [];
	/** What the report says besides, in words that say nothing about the account. */
	readonly notes: string[] = [];
	readonly credential: ICredentialDataDecryptedObject;
	/** Undefined at an address that is not known. */
	readonly service: string | undefined;
	private readonly starts;
	private readonly wait;
	private signal: AbortSignal;

	constructor(settings: Settings) {
		const { credential, starts = () => {}, signal = new AbortController().signal } = settings;
		this.credential = credential;
		const { host } = new URL(baseUrlOf(credential.baseUrl));
		this.service = settings.service ?? services.find((each) => each.host === host)?.name;
		this.wait = settings.sleep ?? waitFor;
		this.starts = starts;
		this.signal = signal;
		// The client listens once for each call.
		setMaxListeners(0, signal);
	}

	/** @throws Error if the operation could change something, Interrupted if the person interrupts */
	async observe(title: string, operation: Operation, values: IDataObject = {}, how: Partial<How> = {}) {
		if (!isReading(operation)) throw new Error(`${operation.option.value} does not only read`);
		return await this.record(
			title,
			async (usual) => await call(title, operation, values, { ...usual, ...how }),
		);
	}

	/** Makes a call, and keeps what it shows even if the person interrupts meanwhile. */
	async record(title: string, make: (usual: How) => Promise<Observation>): Promise<Observation> {
		const { credential, signal } = this;
		this.proceed();
		this.starts(title);
		const observation = await make({ credential, signal });
		this.calls.push(observation);
		this.proceed();
		return observation;
	}

	/** @throws Interrupted if the person has interrupted the check */
	proceed(): void {
		if (this.signal.aborted) throw new Interrupted();
	}

	async sleep(milliseconds: number): Promise<void> {
		await this.wait(milliseconds, this.signal);
		this.proceed();
	}

	/** From now on, only what was made is removed, and nothing interrupts that. */
	cleanUp(): void {
		this.signal = new AbortController().signal;
		setMaxListeners(0, this.signal);
	}

	/** @param said what the service does, or two texts: if the claim holds, and otherwise */
	found(claim: ClaimName, holds: boolean | undefined, said: string | [yes: string, no: string]): void {
		const here = typeof said === 'string' ? said : said[holds ? 0 : 1];
		this.findings.push({ claim, holds, here });
	}
}
