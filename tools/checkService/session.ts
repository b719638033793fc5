import { setMaxListeners } from 'node:events';

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { httpRequest } from 'n8n-core/dist/execution-engine/node-execution-context/utils/request-helper-functions';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import { Client } from '../../nodes/ChatbotService/client/client';
import { hasFailed, isDone, isUnknown } from '../../nodes/ChatbotService/client/failure/result';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import type { Extent } from '../../nodes/ChatbotService/client/http/pages';
import { isReading, type Operation } from '../../nodes/ChatbotService/resources/operation';
import { labelsOf, requestOf } from '../../nodes/ChatbotService/resources/operationRequest';

/* One run of the check: its calls, as the node makes them, and everything that the service answered. */

export interface Answer {
	status: number;
	headers: Record<string, unknown>;
	text: string;
}

/** Something that no schema shows. */
interface Remark {
	/** What it concerns: a parameter of the operation, or what a change should have done. */
	about: string;
	/** What the service does, in words that say nothing about the account. */
	came: string;
}

export interface Call {
	title: string;
	/** Name of the endpoint, such as `getContacts`. */
	endpoint: string;
	/** Several if the node has sent the request again, none if the service did not answer. */
	answers: Answer[];
	/** As the node returns them. */
	rows: IDataObject[];
	/** What the node would tell its user; undefined if it can read the answer. */
	failure: string | undefined;
	/** Whether the call failed although the service may have done it. */
	isUnknown: boolean;
	/** Statuses as docs/openapi.yaml names them, such as `2XX`; those of a success by default, none for any that is described. */
	expects: string[] | undefined;
	remarks: Remark[];
}

export interface How extends Extent {
	/** Differs from that of the session. */
	credential?: ICredentialDataDecryptedObject;
	expects?: string[];
}

export interface Settings {
	credential: ICredentialDataDecryptedObject;
	/** Called with the title of each call before it is made. */
	starts?: (title: string) => void;
	/** Aborted when the person interrupts the check. */
	signal?: AbortSignal;
}

/** Thrown when the person has interrupted the check. */
export class Interrupted extends Error {
	constructor() {
		super('The check was interrupted.');
	}
}

const credentialType = new ChatbotServiceApi();

/** A person waits for the check. */
const sending = { timeout: 30_000 };

export class Session {
	readonly calls: Call[] = [];
	readonly credential: ICredentialDataDecryptedObject;
	private readonly starts;
	private signal: AbortSignal;

	constructor({ credential, starts = () => {}, signal }: Settings) {
		this.credential = credential;
		this.starts = starts;
		this.signal = signal ?? new AbortController().signal;
		// The client listens once for each call.
		setMaxListeners(0, this.signal);
	}

	/** @throws Error if the operation could change something */
	async read(title: string, operation: Operation, values: IDataObject = {}, how: How = {}) {
		if (!isReading(operation)) throw new Error(`${operation.option.value} does not only read`);
		return await this.call(title, operation, values, how);
	}

	/** Keeps what a call shows even if the person interrupts meanwhile. @param values by wire name */
	async call(title: string, operation: Operation, values: IDataObject, how: How = {}): Promise<Call> {
		this.starts(title);
		const { credential = this.credential, expects, ...part } = how;
		const answers: Answer[] = [];
		const client = new Client(readAccount(credential), async (options) => {
			const authenticated = await credentialType.authenticate(credential, options);
			const answer = (await httpRequest(authenticated)) as ServiceAnswer;
			const { statusCode: status, headers, body } = answer;
			answers.push({ status, headers, text: String(body) });
			return answer;
		});
		const request = requestWith(operation, values);
		// So that the node repeats only what a limit has refused, and nothing is done twice.
		const onlyOnce = { ...request, idempotent: false };
		// Once the signal is aborted, no request leaves any more. One in progress ends.
		const result = await client.request({ signal: this.signal }, onlyOnce, part);
		const call: Call = {
			...{ title, endpoint: request.url.slice(1), answers, expects, remarks: [] },
			rows: isDone(result) ? result.rows : [],
			failure: hasFailed(result) ? result.failure.message : undefined,
			isUnknown: isUnknown(result),
		};
		if (isDone(result) || hasFailed(result)) this.calls.push(call);
		this.proceed();
		return call;
	}

	/** @throws Interrupted if the person has interrupted the check */
	proceed(): void {
		if (this.signal.aborted) throw new Interrupted();
	}

	/** From now on, only what was made is removed, and nothing interrupts that. */
	cleanUp(): void {
		this.signal = new AbortController().signal;
		setMaxListeners(0, this.signal);
	}
}

function requestWith(operation: Operation, values: IDataObject) {
	const fields = operation.fields.filter(({ routing }) => routing && routing.send.property in values);
	return requestOf(operation, {
		parameters: Object.entries(values).map(([name, value]) => ({ name, value })),
		labels: labelsOf(fields),
		limits: {},
		sending,
	});
}
