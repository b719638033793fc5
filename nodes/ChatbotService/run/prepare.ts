import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	INode,
	NodeExecutionHint,
} from 'n8n-workflow';

import { questionOfRun, type QuestionHost, type QuestionOfRun } from '../ask/openQuestion';
import { readAccount } from '../client/credential/account';
import type { ServiceAnswer } from '../client/http/answer';
import { Client } from '../client/client';
import { digestOf, isEmpty, isExpression } from '../shared/values';
import {
	calledOneByOne,
	credentialDiffers,
	credentialUnreadable,
	invalidValues,
	unknownOperation,
} from '../client/failure/failure';
import type { Failed } from '../client/failure/result';
import { findOperation } from '../resources';
import type { TimeOf } from '../resources/kind';
import { includeInputFields } from '../resources/fields';
import { sendingHours } from '../resources/message/sendingHours';
import { isIdempotent, type Operation } from '../resources/operation';
import { isTimeZone, noTimeZone } from '../resources/time';
import { Hours } from './hours';
import type { Entries } from './ledger/store';
import { fingerprintLength, type Fingerprint, type Kept } from './ledger/execution';
import { Ledger } from './ledger/ledger';
import { goOn, isTool } from './output';
import { Check, type CheckedValues } from './values/check';
import { Expressions, type Source, type Values } from './values/expressions';

/* What all items of a run have in common: the operation, the credential, the sending hours, the ledger. */

/** What a run gets from n8n, in both ways of calling the node. */
export interface RunContext {
	node: INode;
	count: number;
	/** Index of the first of them in n8n's count. */
	first: number;
	/** Whether n8n calls the node once for each of several items. */
	isOneOfSeveral: boolean;
	source: Source;
	/** Whether the workflow continues when an item fails. */
	continues: boolean;
	calledByAgent: boolean;
	signal: AbortSignal | undefined;
	timeOf: TimeOf;
	timezone: string;
	/** The same object in all tries of one run; null if there is none. */
	triesKey: object | null;
	/** The execution's own data of the node; null if there is none. */
	kept: Kept | null;
	/** n8n's store of the node; undefined if there is none. */
	entries: Entries | undefined;
	/** Whether n8n runs in queue mode, and this process is one of its workers. */
	isWorker: boolean;
	/** What n8n offers to ask a person; undefined if an execution cannot wait. */
	questionHost: QuestionHost | undefined;
	/** The credential as n8n evaluates its expressions for an item, the first by default. */
	credential(item?: number): Promise<ICredentialDataDecryptedObject>;
	/** Sends a request with the credential. @throws when there is no answer */
	send(options: IHttpRequestOptions): Promise<ServiceAnswer>;
	log(text: string): void;
	/** Shows a line above the output of the node. */
	hint(hint: NodeExecutionHint): void;
}

/** What the items have in common. */
export type Prepared = Exclude<Awaited<ReturnType<typeof commonOf>>, Failed>;

/** @returns the failure of all items, if no request can be sent */
export async function prepare(context: RunContext): Promise<Prepared | Failed> {
	// Read without evaluation, because n8n accepts no expressions for these two either.
	const { resource, operation: name } = context.node.parameters;
	const operation = findOperation(resource, name);
	if (!operation) return { failure: unknownOperation(resource, name) };
	if (context.isOneOfSeveral) return { failure: calledOneByOne() };
	const question = questionOfRun(operation, context);
	if (question && 'failure' in question) return question;
	const client = await clientOf(context);
	if ('failure' in client) return client;
	return await commonOf(context, operation, client, question);
}

/** @param question undefined for an operation that asks nobody */
async function commonOf(
	context: RunContext,
	operation: Operation,
	client: Client,
	question: QuestionOfRun | undefined,
) {
	const { source, triesKey, entries, isWorker, timeOf, timezone } = context;
	const check = new Check(operation, source.raw, { forModel: isTool(context.node), timeOf, timezone });
	const expressions = new Expressions(source, check.locators);
	check.begin(expressions.valuesOf(0));
	const { hours } = check.runOptions.ofFirst;
	// Before the ledger is open, which needs to be closed.
	const isOfWorkflow = hours && isEmpty(check.rawOf(operation.broadcast!.timeZone));
	if (isOfWorkflow && !isTimeZone(timezone)) return withoutZone(timezone);
	const { sendOncePer, runOptions } = check;
	const usesSendOncePer = sendOncePer !== undefined;
	const once = sendOncePer && check.rawOf(sendOncePer);
	const isTest = runOptions.has('testRun');
	// A retried execution asks again, because the link of the first one does not work.
	const kept = question || isTest ? null : context.kept;
	const isShared = isWorker || client.account.workers > 1;
	const ledger = new Ledger({ operation, usesSendOncePer, triesKey, kept, entries, isShared, client });
	await ledger.open();
	return {
		operation,
		client,
		expressions,
		check,
		ledger,
		isTest,
		/** The value of 'Send Once Per', if it is the same for all items. */
		sentOncePer: isExpression(once) ? undefined : String(once ?? '').trim(),
		hours: hours && new Hours(hours, goOn(usesSendOncePer)),
		/** Whether the output items contain the fields of their input items. Not evaluated: the editor offers no expression here. */
		includesInput: Boolean(check.rawOf(includeInputFields)),
		question,
		/** What identifies an item when its execution is retried. */
		fingerprintOf: fingerprinter({ client, check }, operation),
	};
}

const withoutZone = (timezone: string): Failed => ({
	failure: invalidValues([noTimeZone(sendingHours.displayName, timezone)]),
});

async function clientOf(context: RunContext): Promise<Client | Failed> {
	try {
		const account = readAccount(await context.credential());
		if (account.unusable) return { failure: account.unusable };
		const other = await itemWithOtherAccount(account.key, context);
		if (other !== undefined) return { failure: credentialDiffers(context.first, other) };
		return new Client(account, async (options) => await context.send(options));
	} catch (error) {
		return { failure: credentialUnreadable(error) };
	}
}

/**
 * An item for which the credential's expressions give another address or token than for the first item; undefined if there is none.
 * n8n authenticates all requests of a run with the credential of the first item.
 *
 * Evaluating the credential takes n8n a query of its database, so the node does it for thousands of items only if the credential
 * depends on the item. Then n8n cannot evaluate it for an item that does not exist, or it differs there or for the last item.
 *
 * @throws n8n's error if it cannot read the credential for an item
 * @param first key of the first item's account
 */
async function itemWithOtherAccount(
	first: string,
	{ count, credential, signal }: RunContext,
): Promise<number | undefined> {
	if (count < 2) return undefined;
	const differs = async (item: number) => readAccount(await credential(item)).key !== first;
	if (!(await differs(count).catch(() => true)) && !(await differs(count - 1))) return undefined;
	// The process does other work during each query.
	for (let item = 1; item < count && !signal?.aborted; item++) {
		if (await differs(item)) return item;
	}
	return undefined;
}

function fingerprinter({ client, check }: { client: Client; check: Check }, operation: Operation) {
	const of = (request: unknown) =>
		digestOf([operation.option.value, client.account.baseUrl, request], fingerprintLength);
	/** @param values read, or checked already */
	return (values: Values | CheckedValues): Fingerprint =>
		() => {
			if (!isIdempotent(operation)) {
				const identity = 'at' in values ? check.identityOf(values) : values.identity;
				return identity === undefined ? undefined : of(identity);
			}
			const checked = 'at' in values ? check.valuesOf(values) : values;
			return 'problems' in checked ? undefined : of(checked.parameters);
		};
}
