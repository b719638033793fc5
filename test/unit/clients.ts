import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { Client, type Caller } from '../../nodes/ChatbotService/client/client';
import type { Failure } from '../../nodes/ChatbotService/client/failure/failure';
import { witnessOf, type ServiceRequest } from '../../nodes/ChatbotService/client/http/request';
import { inTime } from '../virtualTime';
import { answer } from './answers';

/* Real clients, in virtual time, of a service whose answers the test determines. */

/** The reaction of the service to a request: an answer, an error without an answer, or a function that returns the answer. */
export type Reaction = ServiceAnswer | Error | (() => Promise<ServiceAnswer>);

/** What the answer `ok` comes to. */
export const done = { rows: [{ success: true }] };
export const pageOf = (current: number, last: number, ...names: string[]) =>
	answer(200, { data: names, meta: { current_page: current, last_page: last } });

let accounts = 0;

/** The credential of a separate account for each test, because its scheduler lasts as long as the process. */
export const credentialOf = (changes: ICredentialDataDecryptedObject = {}) => ({
	...{ baseUrl: 'https://client.example.com', token: `токен-${++accounts}`, requestsPerSecond: 0 },
	...changes,
});

/** A run of the node, or with `isPatient: false` a list of the editor. */
export function callerOf(isPatient = true) {
	const refused = jest.fn<void, [number]>();
	const gaveUp = jest.fn<void, []>();
	const caller: Caller = { signal: new AbortController().signal, isPatient, refused, gaveUp };
	return { refused, gaveUp, caller };
}

/**
 * A client and its caller, of a service with one reaction for each request; the last reaction also applies to all further requests.
 */
export function clientOf(reactions: Reaction[], credential = credentialOf(), isPatient = true) {
	const sent: Array<{ at: number; options: IHttpRequestOptions }> = [];
	const began = performance.now();
	const client = new Client(readAccount(credential), async (options) => {
		witnessOf(options)?.(credential);
		sent.push({ at: performance.now() - began, options: structuredClone(options) });
		const reaction = reactions[Math.min(sent.length, reactions.length) - 1]!;
		if (reaction instanceof Error) throw reaction;
		return typeof reaction === 'function' ? await reaction() : reaction;
	});
	const told = callerOf(isPatient);
	const request = async (given = message) => await client.request(told.caller, given);
	return { client, request, sent, times: () => sent.map(({ at }) => at), ...told };
}

export const message: ServiceRequest = {
	method: 'POST',
	url: '/sendMessage',
	parameters: [{ name: 'contact_id', value: 5 }],
	place: 'query',
	longInBody: false,
	answer: 'done',
	labels: { all: new Map(), expected: [], empty: new Set() },
	idempotent: false,
	limits: {},
	advice: { unknown: 'The message may have been sent.', assumedLimits: 'Name the messenger.' },
};
export const tag = { ...message, idempotent: true, advice: { unknown: 'The tag may have been attached.' } };
export const list: ServiceRequest = {
	...{ ...message, method: 'GET', url: '/getBotTags', answer: 'many', idempotent: true },
	advice: undefined,
};

/** One request, all that is sent for it, and what its caller is told. */
export async function ask(reactions: Reaction[], request = message, credential = credentialOf()) {
	const asked = clientOf(reactions, credential);
	return { ...asked, outcome: await inTime(asked.request(request)) };
}

/** Undefined if a request has not failed. */
export const failureIn = (outcome: Awaited<ReturnType<Client['request']>>) =>
	(outcome as { failure?: Failure }).failure;
