import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { httpRequest } from 'n8n-core/dist/execution-engine/node-execution-context/utils/request-helper-functions';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { Client } from '../../nodes/ChatbotService/client/client';
import type { Send } from '../../nodes/ChatbotService/client/http/connection';
import type { Part } from '../../nodes/ChatbotService/client/http/pages';
import { withoutRemarks } from '../../nodes/ChatbotService/client/http/php';
import { hasFailed, isDone, isUnknown } from '../../nodes/ChatbotService/client/failure/result';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { labelsOf, requestOf } from '../../nodes/ChatbotService/resources/request';
import { parseJson } from '../../sandbox/emulator/recording';

/* One call as the node makes it, and everything that the service answered. Only session.ts and change.ts make calls. */

/** What the check has to say about a call. */
export interface Remark {
	text: string;
	/** Whether the service does something else than docs/openapi.yaml says. */
	differs?: boolean;
}

export interface Answer {
	status: number;
	headers: Record<string, unknown>;
	text: string;
}

export interface Observation {
	title: string;
	/** Name of the endpoint, such as `getContacts`. */
	endpoint: string;
	/** All answers, if the node has sent the request again. Empty if there was none. */
	answers: Answer[];
	/** Of the last answer; 0 without one. */
	status: number;
	/** The last answer, if it is JSON. */
	said: IDataObject | undefined;
	/** The rows of the last answer as the service has written them; none if the call failed. */
	rows: IDataObject[];
	/** The rows of all pages that were read, as the node returns them. */
	all: IDataObject[];
	/** Whether the last answer has page numbers. */
	hasPages: boolean;
	/** What the node would tell its user; undefined if it can read the answer. */
	failure: string | undefined;
	/** Whether the call failed although the service may have done it. */
	isUnknown: boolean;
	remarks: Remark[];
	/** Whether the call is made to see how the service refuses it. */
	mayFail?: boolean;
}

export interface How extends Part {
	credential: ICredentialDataDecryptedObject;
	/** Once aborted, no request leaves any more. One in progress ends. */
	signal: AbortSignal;
	/** Changes a request before it leaves. */
	alter?: ((options: IHttpRequestOptions) => void) | undefined;
	/** Whether the node does not repeat the request, even where it would. */
	once?: boolean | undefined;
}

/** Thrown when the person has interrupted the check. */
export class Interrupted extends Error {
	constructor() {
		super('The check was interrupted.');
	}
}

/** Thrown after a call without an answer of the service. What follows would show nothing about the service. */
export class Unanswered extends Error {}

const credentialType = new ChatbotServiceApi();

/** A person waits for the check. */
export const sending = { timeout: 30_000 };

/** Sends requests as n8n does. */
export const sendWith =
	(credential: ICredentialDataDecryptedObject, answered: (answer: Answer) => void = () => {}): Send =>
	async (options) => {
		const authenticated = await credentialType.authenticate(credential, options);
		const answer = (await httpRequest(authenticated)) as ServiceAnswer;
		const { statusCode: status, headers, body } = answer;
		answered({ status, headers, text: String(body) });
		return answer;
	};

/** The request of an operation with the given values. @param values by wire name */
export function requestWith(operation: Operation, values: IDataObject) {
	const fields = operation.fields.filter(({ routing }) => routing && routing.send.property in values);
	return requestOf(operation, {
		parameters: Object.entries(values).map(([name, value]) => ({ name, value })),
		labels: labelsOf(fields),
		limits: {},
		sending,
	});
}

/** Makes a call. @throws Interrupted if it could not leave */
export async function call(
	title: string,
	operation: Operation,
	values: IDataObject,
	{ credential, signal, alter, once, ...part }: How,
): Promise<Observation> {
	const answers: Answer[] = [];
	const send = sendWith(credential, (answer) => answers.push(answer));
	const request = requestWith(operation, values);
	const client = new Client(readAccount(credential), async (options) => {
		alter?.(options);
		return await send(options);
	});
	const idempotent = request.idempotent && !once;
	const result = await client.request({ signal }, { ...request, idempotent }, part);
	if (!isDone(result) && !hasFailed(result)) throw new Interrupted();
	const failure = hasFailed(result) ? result.failure.message : undefined;
	const last = answers.at(-1);
	const said = bodyOf(last?.text ?? '');
	const body = failure === undefined ? said : undefined;
	return {
		title,
		endpoint: operation.option.routing.request.url.slice(1),
		answers,
		status: last?.status ?? 0,
		said,
		rows: rowsIn(body),
		all: isDone(result) ? result.rows : [],
		hasPages: typeof body?.meta === 'object',
		failure,
		isUnknown: isUnknown(result),
		remarks: [],
	};
}

/** The value of an answer that is JSON, also behind what PHP has printed before it, which the node accepts. */
export function bodyOf(text: string): IDataObject | undefined {
	const { body } = withoutRemarks(text);
	const json = typeof body === 'string' ? parseJson(body) : body;
	return typeof json === 'object' && json !== null ? (json as IDataObject) : undefined;
}

/** Only objects: whatever else is there, the comparison with docs/openapi.yaml names it. */
function rowsIn(body: IDataObject | undefined): IDataObject[] {
	const data = body?.data ?? body ?? [];
	return [data].flat().filter((row): row is IDataObject => typeof row === 'object' && row !== null);
}
