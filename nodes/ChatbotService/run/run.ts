import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';

import { readAccount } from '../client/account';
import type { ServiceAnswer } from '../client/answer';
import { Client, type Caller, type Sending } from '../client/client';
import { credentialUnreadable, invalidValues, unknownOperation, type Failure } from '../client/failure';
import type { Turn } from '../client/turn';
import { letOthersGoOn, wait } from '../client/wait';
import { findOperation } from '../resources';
import type { Operation } from '../resources/operation';
import { Check, type CheckedValues } from './check';
import { memoryOf, type Memory } from './memory';
import { Order } from './order';
import { hasFailed, Outcomes, type Ended } from './outcome';
import { canceledError, hintOf, isTool, itemsOf, stoppingError } from './output';
import { Reader, type Source } from './reading';
import { Settings, type Batching } from './settings';

/*
 * A run of the node, from items to items:
 *
 *     items ─ read ─ check ─┐ gate ┌─ order ─ client ─ outcome ─ items out, errors, hints
 *             slices        └──────┘
 *
 * Where the workflow stops at the first failure, the gate opens when all items have been checked, and stays shut if one is wrong;
 * where it goes on, every item goes as soon as it has been checked. Each item ends once, in `end`, with one outcome.
 */

/** Everything else in the process waits no longer than that, as far as it is up to us. */
const longestSliceMs = 8;

const reportEveryMs = 30_000;

/** What n8n is for a run, whichever way it calls the node. */
export interface Door {
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
	credential(): Promise<ICredentialDataDecryptedObject>;
	/** Sends a request with the credential. @throws when there is no answer */
	send(options: IHttpRequestOptions): Promise<ServiceAnswer>;
	/** Writes to the log of n8n. */
	log(text: string): void;
	/** Shows a line over the output of the node. */
	hint(hint: NodeExecutionHint): void;
}

/** @throws NodeApiError or NodeOperationError, naming the item, where the workflow is to stop at a failure */
export async function run(door: Door): Promise<INodeExecutionData[]> {
	return await new Run(door).run();
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

	private allHaveCome = false;

	private settle = () => {};

	private readonly settled = new Promise<void>((resolve) => (this.settle = resolve));

	private sliceEndsAt = performance.now() + longestSliceMs;

	constructor(private readonly door: Door) {
		this.mayContinue = door.continues || isForModel(door);
		this.outcomes = new Outcomes(door.count, () => performance.now());
		this.memory = memoryOf(door.triesKey);
	}

	async run(): Promise<INodeExecutionData[]> {
		const { door, outcomes } = this;
		const cancel = () => this.stopping.abort();
		door.signal?.addEventListener('abort', cancel);
		if (door.signal?.aborted) cancel();
		try {
			const prepared = await this.prepare();
			if ('failure' in prepared) this.endAll(prepared.failure);
			else await this.handle(prepared);
		} finally {
			door.signal?.removeEventListener('abort', cancel);
		}
		const hint = hintOf(outcomes);
		if (hint) door.hint(hint);
		if (!this.mayContinue) {
			if (this.isCanceled && outcomes.ended < outcomes.expected)
				throw canceledError(door, outcomes.firstLeft);
			if (outcomes.failed > 0) throw stoppingError(door, outcomes);
		}
		return itemsOf(door, outcomes, this.isCanceled);
	}

	private get isCanceled() {
		return this.door.signal?.aborted === true;
	}

	/** What the items have in common. */
	private async prepare(): Promise<Prepared | { failure: Failure }> {
		const { door } = this;
		// As they stand in the workflow: n8n takes no expressions for these two either.
		const { resource, operation: name } = door.node.parameters;
		const operation = findOperation(resource, name);
		if (!operation) return { failure: unknownOperation(resource, name) };
		let client: Client;
		try {
			client = new Client(readAccount(await door.credential()), async (options) => await door.send(options));
		} catch (error) {
			return { failure: credentialUnreadable(error) };
		}
		if (client.unusable) return { failure: client.unusable };
		const check = new Check(operation);
		const reader = new Reader(door.source, check.paths, check.locators);
		const settings = new Settings(door.source);
		return { operation, settings, client, check, reader };
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
		if (this.outcomes.failed && !this.mayContinue) this.stopping.abort();
		for (let item = 0; item < held.length; item++) {
			await this.breathe();
			if (this.signal.aborted) break;
			if (held[item]) await this.go(prepared, item, held[item]!, batching);
		}
		this.allHaveCome = true;
		this.settleIfOver();
		await this.settled;
	}

	/** The item's values; undefined when it has ended: they are wrong, or an earlier try has dealt with it. */
	private checked({ check, reader, settings }: Prepared, item: number): Ready | undefined {
		const remembered = this.memory.get(item);
		if (remembered) {
			this.outcomes.record(item, remembered);
			return undefined;
		}
		const values = check.of(reader.valuesOf(item));
		const sending = settings.of(item);
		if (!('problems' in values) && !('problems' in sending)) return { ...values, ...sending };
		const problems = [values, sending].flatMap((each) => ('problems' in each ? each.problems : []));
		this.outcomes.record(item, { failure: invalidValues(problems) });
		this.report();
		return undefined;
	}

	/** Lets an item go, after the pause that Batching asks for. */
	private async go(prepared: Prepared, item: number, values: Ready, batching: Batching | undefined) {
		if (batching && item > 0 && item % batching.size === 0) {
			await wait(batching.intervalMs, this.signal);
			if (this.signal.aborted) return;
		}
		if (this.order.add(item, values.target)) this.lineUp(prepared, item, values);
		else this.behind.set(item, values);
	}

	private lineUp(prepared: Prepared, item: number, values: Ready) {
		prepared.client.lineUp(this, values.limits, (turn) => {
			this.outcomes.begin();
			this.underWay++;
			void this.ask(prepared, item, values, turn);
		});
	}

	private async ask(prepared: Prepared, item: number, values: Ready, turn: Turn) {
		const { operation, client } = prepared;
		const { method, url } = operation.option.routing!.request as { method: 'GET' | 'POST'; url: string };
		const { parameters, labels, limits, limit, sending } = values;
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
		};
		const outcome = await client.ask(this, request, limit, turn);
		this.end(prepared, item, values, outcome);
	}

	/** The one place where an item that has begun ends. */
	private end(prepared: Prepared, item: number, values: Ready, outcome: Ended | 'notSent') {
		const { operation } = prepared;
		this.underWay--;
		if (this.isCanceled && hasBrokenOff(outcome)) {
			if (!operation.repeatable) this.outcomes.recordBrokenOff(item);
		} else if (outcome !== 'notSent') {
			this.outcomes.record(item, outcome);
			if (isToBeRemembered(outcome, operation)) this.memory.set(item, outcome);
			this.report();
		}
		const next = this.order.ended(item, values.target);
		const waiting = next === undefined ? undefined : this.behind.get(next);
		if (waiting && !this.signal.aborted) {
			this.behind.delete(next!);
			this.lineUp(prepared, next!, waiting);
		}
		this.settleIfOver();
	}

	private settleIfOver() {
		const nothingLeft = this.signal.aborted || (this.allHaveCome && this.outcomes.notSent === 0);
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
		if (text) this.door.log(`${this.door.node.name}: ${text}`);
	}

	private async breathe() {
		if (performance.now() < this.sliceEndsAt) return;
		await letOthersGoOn();
		this.sliceEndsAt = performance.now() + longestSliceMs;
	}
}

/** What an item needs to go. */
type Ready = CheckedValues & { sending: Sending };

/** What the items of a run have in common. */
interface Prepared {
	operation: Operation;
	settings: Settings;
	client: Client;
	check: Check;
	reader: Reader;
}

/** Whether an item was under way when the user stopped the execution, which is why it has no answer. */
const hasBrokenOff = (outcome: Ended | 'notSent'): boolean =>
	hasFailed(outcome) && outcome.failure.outcome === 'unknown';

/** Answers, and what may have been done all the same; everything else may be tried again. */
const isToBeRemembered = (outcome: Ended, { repeatable }: Operation): boolean =>
	!hasFailed(outcome) || (outcome.failure.outcome === 'unknown' && !repeatable);

/**
 * Whether an AI agent gets the failure as the answer of its tool, for its model to read what is wrong and what to do. Of
 * an error that is thrown it hands on only the message, or nothing, depending on its version.
 */
function isForModel({ node, calledByAgent }: Door): boolean {
	if (!isTool(node) || node.onError === 'stopWorkflow') return false;
	// An agent that calls its tools by itself tries again only what was thrown; n8n's engine such an answer too.
	return !(node.retryOnFail && calledByAgent);
}
