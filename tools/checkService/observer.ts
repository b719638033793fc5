import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { httpRequest } from 'n8n-core/dist/execution-engine/node-execution-context/utils/request-helper-functions';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { Client } from '../../nodes/ChatbotService/client/client';
import type { Part } from '../../nodes/ChatbotService/client/http/pages';
import { withoutRemarks } from '../../nodes/ChatbotService/client/http/php';
import { hasFailed } from '../../nodes/ChatbotService/client/failure/result';
import { isReading, type Operation } from '../../nodes/ChatbotService/resources/operation';
import { labelsOf, requestOf } from '../../nodes/ChatbotService/resources/request';
import { parseJson } from '../../sandbox/emulator/recording';

/* One call as the node makes it, and everything that the service answered. */

/** What the check has to say about a call. */
export interface Remark {
	text: string;
	/** Whether the service does something else than docs/openapi.yaml says. */
	differs?: boolean;
}

export interface Observation {
	title: string;
	/** Name of the endpoint, such as `getContacts`. */
	endpoint: string;
	/** All answers, if the node has sent the request again. Empty if there was none. */
	answers: Array<{ status: number; headers: Record<string, unknown>; text: string }>;
	/** The rows of the last answer as the service has written them; none if the call failed. */
	rows: IDataObject[];
	/** Whether the last answer has page numbers. */
	hasPages: boolean;
	/** What the node would tell its user; undefined if it can read the answer. */
	failure: string | undefined;
	remarks: Remark[];
	/** Whether the call is made to see how the service refuses it. */
	mayFail?: boolean;
}

const credentialType = new ChatbotServiceApi();

/** A person waits for the check. */
const timeoutMs = 30_000;

/**
 * Makes a call and observes it.
 *
 * @param values by wire name
 * @throws if the operation could change something
 */
export async function observe(
	credential: ICredentialDataDecryptedObject,
	title: string,
	operation: Operation,
	values: IDataObject = {},
	part: Part = {},
): Promise<Observation> {
	if (!isReading(operation)) throw new Error(`${operation.option.value} does not only read`);
	const answers: Observation['answers'] = [];
	const send = async (options: IHttpRequestOptions) => {
		const authenticated = await credentialType.authenticate(credential, options);
		const answer = (await httpRequest(authenticated)) as ServiceAnswer;
		const { statusCode: status, headers, body } = answer;
		answers.push({ status, headers, text: String(body) });
		return answer;
	};
	const fields = operation.fields.filter(({ routing }) => routing && routing.send.property in values);
	const request = requestOf(operation, {
		parameters: Object.entries(values).map(([name, value]) => ({ name, value })),
		labels: labelsOf(fields),
		limits: {},
		sending: { timeout: timeoutMs },
	});
	const client = new Client(readAccount(credential), send);
	const result = await client.request({ signal: new AbortController().signal }, request, part);
	const failure = hasFailed(result) ? result.failure.message : undefined;
	const body = failure === undefined ? bodyOf(answers.at(-1)?.text ?? '') : undefined;
	return {
		title,
		endpoint: operation.option.routing.request.url.slice(1),
		answers,
		rows: rowsIn(body),
		hasPages: typeof body?.meta === 'object',
		failure,
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
