import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';

import { readAccount } from '../client/account';
import { answerOfNothing, type ServiceAnswer } from '../client/answer';
import { Client, type Caller, type Sending } from '../client/client';
import { digestOf } from '../client/digest';
import {
	brokenHere,
	credentialUnreadable,
	inDoubt,
	invalidValues,
	leftUnknown,
	notNoted,
	unknownOperation,
	withAdvice,
	type Failure,
} from '../client/failure';
import type { Turn } from '../client/pace/scheduler';
import { letOthersGoOn, wait } from '../client/wait';
import { findOperation } from '../resources';
import { isReading, type Operation } from '../resources/operation';
import { Check, withoutStore, wordsOf, type CheckedValues } from './values/check';
import { Claims, type Known } from './ledger/claims';
import { fingerprintLength, Memory, type Fingerprints, type Kept } from './ledger/execution';
import { Order } from './order';
import { hasFailed, Outcomes, type Ended, type Left } from './outcome';
import { canceledError, hintOf, isTool, itemsOf, stoppingError, type Origin } from './output';
import { Reader, type Source } from './values/reading';
import type { End, Entries } from './ledger/entries';
import { Settings, type Batching } from './values/settings';
import { storeOf, type Store } from './ledger/store';

/*
 * A run of the node, from items to items:
 *
 *     items ─ read ─ check ─┐ hold ┌─ order ─ claim ─ client ─ outcome ─ items out, errors, hints
 *             slices        └──────┘
 *
 * Where the workflow stops at the first failure, items are held until all have been checked, and none goes if one is wrong;
 * where it goes on, every item goes as soon as it has been checked. Items with 'Send Once Per' claim their recipient first. Each
 * item ends once, with one outcome. What an earlier run has left in doubt does not stop the others: they had nothing to do with it.
 */

/** Everything else in the process waits no longer than that, as far as it is up to us. */
const longestSliceMs = 8;

const reportEveryMs = 30_000;

/** How often the credential is looked at, beside each request: a slow pace may be edited to a faster one. */
const credentialEveryMs = 3000;

/** What a run gets from n8n, whichever way that calls the node. */
export interface RunContext {
	node: INode;
	/** Number of items. */
	count: number;
	/** Index of the first of them, as the user counts. */
	first: number;
	source: Source;
	/** Whether the workflow goes on when an item fails. */
	continues: boolean;
	/** Whether an AI agent calls the node by itself. */
	calledByAgent: boolean;
	signal: AbortSignal | undefined;
	/** The same object in all tries of one run; null where there is none. */
	triesKey: object | null;
	/** The execution's own data of the node; null where there is none. */
	kept: Kept | null;
	/** n8n's store of the node; undefined where there is none. */
	entries: Entries | undefined;
	credential(): Promise<ICredentialDataDecryptedObject>;
	/** Sends a request with the credential. @throws when there is no answer */
	send(options: IHttpRequestOptions): Promise<ServiceAnswer>;
	/** Writes to the log of n8n. */
	log(text: string): void;
	/** Shows a line over the output of the node. */
	hint(hint: NodeExecutionHint): void;
}

/** @throws NodeApiError or NodeOperationError, naming the item, where the workflow is to stop at a failure */
export async function run(context: RunContext): Promise<INodeExecutionData[]> {
	return await new Run(context).run();
}

class Run implements Caller {
	private readonly stopping = new AbortController();

	/** Ended once nothing more is to leave: an item failed in stop mode, or the user stopped the execution. */
	readonly signal = this.stopping.signal;

	private readonly mayContinue: boolean;

	private readonly outcomes: Outcomes;

	private readonly memory: Memory;

	private readonly order = new Order();

	/** Values of the items that wait behind another of the same target. */
	private readonly behind = new Map<number, Ready>();

	/** Items that have begun and not ended. */
	private underWay = 0;

	private operation: Operation | undefined;

	/** Whether values of an item are wrong. */
	private hasWrongValues = false;

	/** The batch of the latest item that went, where Batching is on. */
	private batch: number | undefined;

	private settle = () => {};

	private readonly settled = new Promise<void>((resolve) => (this.settle = resolve));

	private sliceEndsAt = performance.now() + longestSliceMs;

	constructor(private readonly context: RunContext) {
		this.mayContinue = context.continues || isForModel(context);
		this.outcomes = new Outcomes(context.count, () => performance.now());
		this.memory = new Memory(context.triesKey, context.kept);
	}

	async run(): Promise<INodeExecutionData[]> {
		const { context, outcomes } = this;
		const cancel = () => this.stopping.abort();
		const over = new AbortController();
		context.signal?.addEventListener('abort', cancel);
		if (context.signal?.aborted) cancel();
		try {
			const prepared = await this.prepare().catch((error: unknown) => ({
				failure: brokenHere(error, 'notDone'),
			}));
			if ('failure' in prepared) this.endAll(prepared.failure);
			else {
				void this.watchCredential(prepared, over.signal);
				await this.handle(prepared).finally(async () => await this.close(prepared));
			}
		} finally {
			over.abort();
			context.signal?.removeEventListener('abort', cancel);
		}
		const hint = hintOf(outcomes, { reads: this.operation !== undefined && isReading(this.operation) });
		if (hint) context.hint(hint);
		if (!this.mayContinue) {
			if (this.isCanceled && outcomes.ended < outcomes.expected)
				throw canceledError(this.origin, outcomes.firstLeft);
			if (outcomes.failed > 0) {
				this.memory.save(outcomes.expected);
				throw stoppingError(this.origin, outcomes);
			}
		}
		this.memory.forget();
		return itemsOf(this.origin, outcomes, { isCanceled: this.isCanceled });
	}

	private get origin(): Origin {
		const { node, first } = this.context;
		return { node, first, unknown: this.operation?.advice?.unknown };
	}

	private get isCanceled() {
		return this.context.signal?.aborted === true;
	}

	/** What the items have in common. */
	private async prepare(): Promise<Prepared | { failure: Failure }> {
		const { context } = this;
		// As they stand in the workflow: n8n takes no expressions for these two either.
		const { resource, operation: name } = context.node.parameters;
		const operation = findOperation(resource, name);
		if (!operation) return { failure: unknownOperation(resource, name) };
		this.operation = operation;
		let client: Client;
		try {
			client = new Client(
				readAccount(await context.credential()),
				async (options) => await context.send(options),
			);
		} catch (error) {
			return { failure: credentialUnreadable(error) };
		}
		if (client.unusable) return { failure: client.unusable };
		const { source } = context;
		const check = new Check(operation, source.raw);
		const reader = new Reader(source, check.paths, check.locators);
		const { origin } = this.memory;
		const settings = new Settings(source);
		const fingerprintOfNode = digestOf([source.raw, client.address]);
		const areClaimed = check.once !== undefined || (origin !== undefined && !operation.repeatable);
		const { store, words } = areClaimed ? await openStore(context) : {};
		const claims = store && new Claims(store, client, this.signal);
		return {
			operation,
			settings,
			client,
			check,
			reader,
			wordsOfStore: words ?? '',
			claims,
			fingerprintOfNode,
		};
	}

	/** Nothing can be asked for, for the same reason. */
	private endAll(failure: Failure) {
		for (let item = 0; item < this.outcomes.expected; item++) this.outcomes.record(item, { failure });
	}

	private async handle(prepared: Prepared) {
		const leave = () => {
			prepared.client.leave(this);
			this.settleIfOver();
		};
		this.signal.addEventListener('abort', leave);
		const batching = prepared.settings.batching();
		const held: Array<Ready | undefined> = [];
		for (let item = 0; item < this.outcomes.expected; item++) {
			await this.breathe();
			if (this.signal.aborted) break;
			const values = this.checked(prepared, item);
			if (!values) continue;
			if (this.mayContinue) await this.go(prepared, item, values, batching);
			else held[item] = values;
		}
		if (this.hasWrongValues && !this.mayContinue) this.stopping.abort();
		for (let item = 0; item < held.length; item++) {
			await this.breathe();
			if (this.signal.aborted) break;
			if (held[item]) await this.go(prepared, item, held[item]!, batching);
		}
		this.settleIfOver();
		await this.settled;
	}

	private async close({ claims }: Prepared) {
		await claims?.close(this.context.signal);
		if (claims?.notRecorded)
			this.tell(`n8n could not note how ${claims.notRecorded} recipients stand; they will be in doubt`);
	}

	/** Notices within seconds that the credential was edited, also while nothing leaves. */
	private async watchCredential({ client }: Prepared, over: AbortSignal) {
		for (;;) {
			await wait(credentialEveryMs, over);
			if (over.aborted) return;
			try {
				client.useLatest(await this.context.credential());
			} catch {
				// n8n says what is wrong with it when the next request is to leave.
			}
		}
	}

	/** The item's values; undefined when it has ended: they are wrong, or an earlier try has dealt with it. */
	private checked(prepared: Prepared, item: number): Ready | undefined {
		try {
			return this.readAndCheck(prepared, item);
		} catch (error) {
			this.hasWrongValues = true;
			this.outcomes.record(item, { failure: brokenHere(error, 'notDone') });
			return undefined;
		}
	}

	private readAndCheck(prepared: Prepared, item: number): Ready | undefined {
		const { check, reader, settings, operation } = prepared;
		const valuesOfItem = reader.valuesOf(item);
		const remembered =
			this.memory.ofTry(item) ??
			this.memory.ofExecution(
				item,
				{
					written: () => this.fingerprintOfWritten(prepared, item),
					identity: () =>
						operation.repeatable ? undefined : fingerprintOfTarget(prepared, check.identityOf(valuesOfItem)),
				},
				operation,
			);
		if (remembered) {
			this.outcomes.recordEarlier(item, remembered);
			return undefined;
		}
		const values = check.of(valuesOfItem);
		const sending = settings.of(item);
		const problems = [values, sending].flatMap((each) => ('problems' in each ? each.problems : []));
		if ('once' in values && values.once !== undefined && !prepared.claims)
			problems.push(withoutStore(operation.once!.field.displayName, prepared.wordsOfStore));
		if (!('problems' in values) && !('problems' in sending) && !problems.length) {
			const identity = () => fingerprintOf(prepared, values);
			const asked = this.memory.ofExecution(item, { identity }, operation);
			if (!asked) return { ...values, ...sending, claim: this.claimOf(prepared, item, values) };
			this.outcomes.recordEarlier(item, asked);
			return undefined;
		}
		this.hasWrongValues = true;
		this.outcomes.record(item, { failure: invalidValues(problems) });
		this.report();
		return undefined;
	}

	/**
	 * What an item claims before it goes: its recipient, or in a retried execution itself, by what it was asked for with. Both
	 * fingerprints name it, as one of them may have changed since.
	 */
	private claimOf(prepared: Prepared, item: number, values: CheckedValues): string | undefined {
		const { operation, claims } = prepared;
		const { origin } = this.memory;
		if (values.once !== undefined || origin === undefined || !claims) return values.once;
		const fingerprints = [this.fingerprintOfWritten(prepared, item), fingerprintOf(prepared, values)];
		return fingerprints
			.filter((fingerprint) => fingerprint !== undefined)
			.map((fingerprint) => digestOf([origin, operation.option.value, item, fingerprint]))
			.join('+');
	}

	/** Lets an item go, after the pause that Batching asks for between the items of two batches. */
	private async go(prepared: Prepared, item: number, values: Ready, batching: Batching | undefined) {
		const batch = batching && Math.floor(item / batching.size);
		const isNext = this.batch !== undefined && batch !== this.batch;
		this.batch = batch;
		if (batching && isNext) {
			await wait(batching.intervalMs, this.signal);
			if (this.signal.aborted) return;
		}
		if (this.order.add(item, values.target)) this.lineUp(prepared, item, values);
		else this.behind.set(item, values);
	}

	/** Claims what is to be claimed, then waits for the request's turn. */
	private lineUp(prepared: Prepared, item: number, values: Ready) {
		const { claims } = prepared;
		const { claim, limits } = values;
		const known = (standing: Known) => {
			try {
				if (standing === 'claimed') this.waitForTurn(prepared, item, values);
				else this.endUnsent(prepared, item, values, standing);
			} catch (error) {
				this.endBroken(prepared, item, values, error);
			}
		};
		if (claim === undefined || !claims) known('claimed');
		else claims.want({ item, key: claim, limits, known });
	}

	private waitForTurn(prepared: Prepared, item: number, values: Ready) {
		prepared.client.lineUp(this, values.limits, (turn) => {
			this.underWay++;
			void this.ask(prepared, item, values, turn);
		});
	}

	/** Never throws: nothing would catch it, and the run would wait for the item forever. */
	private async ask(prepared: Prepared, item: number, values: Ready, turn: Turn) {
		const { operation, client, claims } = prepared;
		const { method, url } = operation.option.routing!.request as { method: 'GET' | 'POST'; url: string };
		const { parameters, labels, limits, limit, sending, claim } = values;
		const advice = operation.advice ?? {};
		let outcome: Ended | Left;
		let mayHaveLeft = false;
		try {
			this.outcomes.begin();
			if (claim !== undefined) claims?.left(claim);
			const request = {
				method,
				url,
				parameters,
				labels,
				limits,
				sending,
				longInBody: operation.longInBody === true,
				answer: operation.answer,
				repeatable: operation.repeatable,
				advice,
			};
			mayHaveLeft = true;
			outcome = await client.ask(this, request, limit, turn);
		} catch (error) {
			this.gaveUp();
			const failure = brokenHere(error, mayHaveLeft ? 'unknown' : 'notDone');
			outcome = { failure: withAdvice(failure, advice, { hasAssumed: false }) };
			// Else the account would have one request under way forever.
			if (!mayHaveLeft) void turn.turns.use(turn, async () => ({}));
		}
		this.end(prepared, item, values, outcome);
	}

	/** Ends an item whose request has begun. */
	private end(prepared: Prepared, item: number, values: Ready, outcome: Ended | Left) {
		this.underWay--;
		try {
			if (values.claim !== undefined) prepared.claims?.ended(values.claim, claimAfter(outcome));
			if (outcome === 'brokenOff' || (this.isCanceled && isUnknown(outcome)))
				this.outcomes.recordBrokenOff(item);
			else if (outcome !== 'notSent') this.outcomes.record(item, outcome);
			if (typeof outcome === 'object') this.remember(prepared, item, values, outcome);
		} catch (error) {
			// Where the item has ended before, that stands.
			this.outcomes.record(item, { failure: brokenHere(error, 'unknown') });
		}
		this.over(prepared, item, values);
	}

	/** Ends an item that an error in our own code kept from leaving. */
	private endBroken(prepared: Prepared, item: number, values: Ready, error: unknown) {
		this.outcomes.record(item, { failure: brokenHere(error, 'notDone') });
		this.gaveUp();
		this.over(prepared, item, values);
	}

	/** Ends an item whose request does not begin, for it may have been sent before, or n8n cannot say. */
	private endUnsent(prepared: Prepared, item: number, values: Ready, standing: Exclude<Known, 'claimed'>) {
		const { operation } = prepared;
		if (typeof standing === 'object') {
			this.outcomes.record(item, { failure: notNoted(standing.error) });
			this.gaveUp();
		} else if (values.once !== undefined) {
			if (standing === 'sent') this.outcomes.recordSkipped(item);
			else
				this.outcomes.recordEarlier(item, {
					failure: inDoubt(operation.once!.field.displayName, operation.advice ?? {}),
				});
		} else {
			const ended: Ended =
				standing === 'sent'
					? { rows: [answerOfNothing(operation.answer)] }
					: { failure: leftUnknown(operation.advice ?? {}) };
			this.outcomes.recordEarlier(item, ended);
			this.remember(prepared, item, values, ended);
		}
		this.over(prepared, item, values);
	}

	/** What follows on an item that has ended, the next of the same target above all. */
	private over(prepared: Prepared, item: number, { target }: Ready) {
		this.report();
		const next = this.order.ended(item, target);
		const waiting = next === undefined ? undefined : this.behind.get(next);
		if (waiting && !this.signal.aborted) {
			this.behind.delete(next!);
			this.lineUp(prepared, next!, waiting);
		}
		this.settleIfOver();
	}

	private remember(prepared: Prepared, item: number, values: Ready, outcome: Ended) {
		const { operation } = prepared;
		if (!isToBeRemembered(outcome, operation)) return;
		this.memory.keepForTries(item, outcome);
		if (isReading(operation)) return;
		const fingerprints: Fingerprints = {
			written: () => this.fingerprintOfWritten(prepared, item),
			identity: () => fingerprintOf(prepared, values),
		};
		this.memory.keepForExecution(item, outcome, fingerprints, operation.answer);
	}

	/** What stands in the node, and the item it is for; undefined where nothing can be said of it. */
	private fingerprintOfWritten({ fingerprintOfNode }: Prepared, item: number): string | undefined {
		try {
			return digestOf([fingerprintOfNode, this.context.source.json?.(item)], fingerprintLength);
		} catch {
			return undefined;
		}
	}

	private settleIfOver() {
		const nothingLeft = this.signal.aborted || this.outcomes.notSent <= 0;
		if (this.underWay === 0 && nothingLeft) this.settle();
	}

	/** Told by the client. */
	refused(waitMs: number) {
		this.outcomes.refusedFor(waitMs);
	}

	/** Told by the client. */
	gaveUp() {
		if (!this.mayContinue) this.stopping.abort();
	}

	/** Tells n8n's log how far a long run is. */
	private report() {
		const text = this.outcomes.progress(reportEveryMs);
		if (text) this.tell(text);
	}

	private tell(text: string) {
		try {
			this.context.log(`${this.context.node.name}: ${text}`);
		} catch {
			// A log that fails is no reason to stop.
		}
	}

	private async breathe() {
		if (performance.now() < this.sliceEndsAt) return;
		await letOthersGoOn();
		this.sliceEndsAt = performance.now() + longestSliceMs;
	}
}

/** What an item needs to go. */
type Ready = CheckedValues & { sending: Sending; claim: string | undefined };

/** What the items of a run have in common. */
interface Prepared {
	operation: Operation;
	settings: Settings;
	client: Client;
	check: Check;
	reader: Reader;
	/** Who has got a message; undefined where that is not asked for, or not to be had. */
	claims: Claims | undefined;
	/** What n8n says of a store that is not to be had. */
	wordsOfStore: string;
	/** Of what stands in the node. */
	fingerprintOfNode: string;
}

async function openStore({ entries }: RunContext): Promise<{ store?: Store; words?: string }> {
	if (!entries) return {};
	const store = storeOf(entries);
	try {
		await store.open();
		return { store };
	} catch (error) {
		return { words: wordsOf(error) };
	}
}

/** What tells a request apart when its execution is retried. */
const fingerprintOf = (prepared: Prepared, { parameters, identity }: CheckedValues): string =>
	prepared.operation.repeatable
		? digestOf([prepared.operation.option.value, prepared.client.address, parameters], fingerprintLength)
		: fingerprintOfTarget(prepared, identity)!;

const fingerprintOfTarget = ({ operation, client }: Prepared, identity: string | undefined) =>
	identity === undefined
		? undefined
		: digestOf([operation.option.value, client.address, identity], fingerprintLength);

/** What becomes of the claim of a recipient. */
function claimAfter(outcome: Ended | Left): End {
	if (outcome === 'notSent') return 'notSent';
	if (outcome === 'brokenOff' || isUnknown(outcome)) return 'unknown';
	return hasFailed(outcome) ? 'notSent' : 'sent';
}

const isUnknown = (outcome: Ended | Left): boolean =>
	hasFailed(outcome) && outcome.failure.outcome === 'unknown';

/** Answers, and what may have been done all the same; everything else may be tried again. */
const isToBeRemembered = (outcome: Ended, { repeatable }: Operation): boolean =>
	!hasFailed(outcome) || (isUnknown(outcome) && !repeatable);

/**
 * Whether an AI agent gets the failure as the answer of its tool, for its model to read what is wrong and what to do. Of
 * an error that is thrown it hands on only the message, or nothing, depending on its version.
 */
function isForModel({ node, calledByAgent }: RunContext): boolean {
	if (!isTool(node) || node.onError === 'stopWorkflow') return false;
	// An agent that calls its tools by itself tries again only what was thrown; n8n's engine such an answer too.
	return !(node.retryOnFail && calledByAgent);
}
