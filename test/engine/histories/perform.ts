import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { addContacts, SEEDED, startEmulator } from '../../../sandbox/emulator';
import type { Contact, Emulator, RecordedRequest } from '../../../sandbox/emulator';
import { credentialFor, newWorkflowId, retryNode, type RunOptions, type RunResult } from '../harness';
import { MemoryDeduplicator } from '../n8n/deduplication';
import { patience } from './standstills';
import type { History } from './history';
import { dying, elsewhere, passedTo, type Changed } from './ways';

/* A history on the real engine and the emulator: what each run was given, and how it ended. */

/**
 * When the requests of connections left, by their port, which the system gives to several connections. The service sees a request later,
 * when this process was busy.
 */
const departures = new Map<number, number[]>();

/** When a request left the node. */
export const leftAt = ({ port, arrivedAt }: RecordedRequest) =>
	(departures.get(port!) ?? []).filter((moment) => moment <= arrivedAt).at(-1) ?? arrivedAt;

subscribe('http.client.request.start', (message) => {
	const { request } = message as { request: ClientRequest };
	const now = performance.now();
	const note = () => {
		const port = request.socket!.localPort!;
		departures.set(port, [...(departures.get(port) ?? []), now]);
	};
	if (request.socket?.localPort) note();
	else request.socket?.once('connect', note);
});

const minuteMs = 60_000;
const timezone = 'Europe/Moscow';

/** The time zones of people, by their distance from that. */
const zones: Record<number, string> = { 0: 'МСК', 90: '+04:30', 420: 'Asia/Vladivostok' };

/** Of a history: several runs that wait for trouble, each for five minutes. */
const longestMs = 60 * minuteMs;

/** Such as 09:05, in the time zone of the workflow. */
const clockAt = (time: number) => new Date(time + 180 * minuteMs).toISOString().slice(11, 16);

/** One execution, and a Retry of it. */
export interface Performed {
	/** The items' texts. Those of another run are different. */
	texts: string[];
	/** The last result, and that before Retry. */
	results: RunResult[];
	/** When the user stopped it. */
	stoppedAt: number | undefined;
	/** When Retry began. */
	retriedAt?: number;
	/** Whether it was a test. */
	isTest: boolean;
	/** The index of its first item in each batch of a loop; only that of the first item without a loop. */
	batches: number[];
}

export interface Scene {
	history: History;
	service: Emulator;
	/** The contact of each item, by index; undefined if the service does not know the person. */
	contacts: Array<number | undefined>;
	/** When Sending Hours end for each item, by index; undefined if they do not, -Infinity if they are closed. */
	closesAt: Array<number | undefined>;
	/** The contact of the person who tries a run. */
	tester: number;
	/** Those that have ended. */
	runs: Performed[];
	store: MemoryDeduplicator;
}

/** The index of the item from which another one comes. */
export const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

const unknownPerson = { id: 8_999_999, externalId: '399999999', phone: '79998999999' };

const valueOf = { contact: 'contactId', person: 'externalId', number: 'phone' } as const;

/** Performs a history with an emulator of its own. @param judge looks at it before the emulator stops */
export async function perform(history: History, judge: (scene: Scene) => void): Promise<void> {
	const service = await startEmulator({ limits: history.limits });
	const isOver = new AbortController();
	try {
		const scene = await Promise.race([performWith(service, history), patience(longestMs, isOver.signal)]);
		if (!scene) throw new Error('A run does not end');
		judge(scene);
	} finally {
		isOver.abort();
		await service.stop();
	}
}

async function performWith(service: Emulator, history: History): Promise<Scene> {
	const { isWrapped, faults, items, onError, pace, second, stopMs, tested, triesAgain, diesMs } = history;
	const store = new MemoryDeduplicator();
	const isElsewhere = second?.kind === 'beside' && second.isElsewhere;
	if (isWrapped) service.dialect.answers = 'wrapped';
	const people = history.people.map(({ messenger, isKnown }) => {
		const place = history.to === 'number' ? 'whatsapp' : messenger;
		const [person] = addContacts(service.data, 1, { messenger: place });
		return isKnown ? person! : { ...unknownPerson, messenger: place };
	});
	const [tester] = addContacts(service.data, 1, { messenger: history.to === 'number' ? 'whatsapp' : 'vk' });
	for (const fault of faults) service.faults.add(fault);

	const { hours, closesAt } = await hoursOf(history);
	const options: RunOptions = {
		parameters: parametersOf(history, hours),
		credential: credentialFor(service, { requestsPerSecond: pace, workers: isElsewhere ? 2 : 1 }),
		node: { onError, ...(triesAgain && { retryOnFail: true, maxTries: 2, waitBetweenTries: 1000 }) },
		...{ workflowId: newWorkflowId(), deduplication: store, timezone },
	};
	const itemsOf = (name: string) =>
		items.map(({ person, order, wrong }, index) => {
			const { id, externalId, phone, messenger } = people[person]!;
			const zone = zones[history.people[person]!.east];
			const to = wrong === 'no recipient' ? '' : wrong === 'lost recipient' ? '[object Object]' : undefined;
			const text = wrong === 'no text' ? '' : `Письмо ${name}-${index}.`;
			return {
				...{ contactId: id, externalId, phone: `+${phone}`, messenger, order, zone },
				...(to !== undefined && { [valueOf[history.to]]: to }),
				...(wrong !== 'failing expression' && { text }),
			};
		});
	const textsOf = (name: string) => items.map((_, index) => `Письмо ${name}-${index}.`);
	const run = async (name: string, { stopAfterMs, ...others }: Changed = {}): Promise<Performed> => {
		let stoppedAt: number | undefined;
		const onStart = (cancel: () => void) => {
			const stop = () => {
				stoppedAt = performance.now();
				cancel();
			};
			if (typeof stopAfterMs === 'number') stopping = setTimeout(stop, stopAfterMs);
		};
		let stopping: NodeJS.Timeout | undefined;
		const isTest = name === 'А' && tested !== null;
		const changes = isTest && { parameters: parametersOf(history, hours, tester) };
		const given = { ...options, ...changes, ...others, items: itemsOf(name), onStart };
		const { result, batches } = await passedTo(given, history);
		clearTimeout(stopping);
		return { texts: textsOf(name), results: [result], stoppedAt, isTest, batches };
	};

	const performed: Performed[] = [];
	if (tested !== null && diesMs !== null) {
		await dying(diesMs, store, async (changes) => await run('А', changes));
		performed.push(await run('Б'));
	} else {
		const first = run('А', { stopAfterMs: stopMs });
		const runs = [first];
		if (second?.kind === 'beside') {
			await pause(second.afterMs);
			runs.push(run('Б', second.isElsewhere ? { nodeType: elsewhere } : {}));
		}
		performed.push(...(await Promise.all(runs)));
		if (second?.kind === 'later') performed.push(await run('Б'));
	}
	const [{ results, stoppedAt }] = performed as [Performed];
	// Retry of a stopped execution is a new start.
	const canRetry = history.passed === 'at once' && stoppedAt === undefined;
	if (second?.kind === 'retry' && results[0]!.error && canRetry && performed.length === 1) {
		performed[0]!.retriedAt = performance.now();
		results.unshift(await retryNode(results[0]!));
	}
	return {
		...{ history, service, runs: performed, tester: tester!.id, store },
		closesAt: items.map(({ person }) => closesAt(history.people[person]!.east)),
		contacts: items.map(({ person }) => (history.people[person]!.isKnown ? people[person]!.id : undefined)),
	};
}

/** Hours of a kind. @returns also when they close for somebody whose clock is ahead by so many minutes */
async function hoursOf({ hours: kind, closesInMs, inZones }: History) {
	if (kind === 'none') return { closesAt: () => undefined };
	// Hours end with a minute.
	if (kind === 'closing') await pause((2 * minuteMs - (Date.now() % minuteMs) - closesInMs) % minuteMs);
	const now = Date.now();
	const minute = Math.ceil(now / minuteMs) * minuteMs;
	const [from, until] = {
		open: [now - 60 * minuteMs, now + 600 * minuteMs] as const,
		closing: [now - 60 * minuteMs, minute] as const,
		closed: [now + 60 * minuteMs, now + 240 * minuteMs] as const,
	}[kind];
	const endsAt = kind === 'closing' ? minute - now + performance.now() : undefined;
	const closesAt = (east: number) => {
		const there = now + (inZones ? east : 0) * minuteMs;
		if (there < from || there >= until) return -Infinity;
		return endsAt;
	};
	const timeZone = inZones && { timeZone: '={{ $json.zone }}' };
	return { hours: { from: clockAt(from), until: clockAt(until), ...timeZone }, closesAt };
}

/** @param tester of a test */
function parametersOf(history: History, hours: object | undefined, tester?: Contact): INodeParameters {
	const { to, once, includesInput, knowsMessenger, tested, most } = history;
	const me = tested
		? { contactId: String(tester?.id), phone: `+${tester?.phone}` }
		: { contactId: '', phone: '' };
	const text = '={{ $json.text.trim() }}';
	const botId = String(SEEDED.bots.school);
	const messenger = '={{ $json.messenger }}';
	const contactMessenger = knowsMessenger ? messenger : 'unknown';
	const recipient = {
		contact: { recipient: 'contact', contactId: '={{ $json.contactId }}', contactMessenger },
		person: { recipient: 'externalId', messenger, botId, externalId: '={{ $json.externalId }}' },
		number: { botId, phone: '={{ $json.phone }}', contactName: 'Ольга' },
	}[to];
	return {
		...{ resource: 'message', operation: to === 'number' ? 'sendToWhatsApp' : 'send', text, ...recipient },
		options: {
			...(once && { sendOncePer: once }),
			...(hours && { sendingHours: { values: hours } }),
			...(includesInput && { includeInputFields: true }),
			...(most && { mostRecipients: most }),
			...(tester && { testRun: { values: { ...me, messages: tested || 1 } } }),
		},
		// On a busy machine, the usual answers must arrive within it in fast time, too.
		requestOptions: { timeout: 60_000 },
	} as INodeParameters;
}
