import { sleep, type IDataObject, type IHttpRequestOptions, type INodeExecutionData } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { witnessOf } from '../../nodes/ChatbotService/client/http/request';
import type { RunContext } from '../../nodes/ChatbotService/run/prepare';
import { run } from '../../nodes/ChatbotService/run/run';
import { inTime } from '../virtualTime';
import { ok } from './answers';
import type { FakeEntries } from './fakeEntries';
import { FakeN8n } from './fakeN8n';
import { inMoscow } from './samples';

/* Runs of the node without n8n's engine, in virtual time, with a service and a store that a test controls. */

const oneDay = 24 * 3_600_000;

export const once = { options: { sendOncePer: 'осень' } };

let accounts = 0;

/** A credential of an account that no other run uses. */
export function newCredential(requestsPerSecond = 0) {
	const token = `токен-${++accounts}`;
	return async () => ({ baseUrl: 'https://run.example.com', token, requestsPerSecond });
}

/** The context of a run that sends messages to contacts 1, 2, 3, … with an account without a limit. */
export function contextFor(
	count: number,
	{ send, credential = newCredential(), ...changes }: Partial<RunContext> & Pick<RunContext, 'send'>,
	parameters: Record<string, unknown> = {},
	contacts: object[] = range(1, count + 1).map((id) => ({ id })),
): RunContext {
	let latest: ReturnType<typeof credential> | undefined;
	const raw = {
		...{ resource: 'message', operation: 'send' },
		...{ recipient: 'contact', contactMessenger: 'vk', content: ['text'] },
		contactId: '={{ $json.id }}',
		text: 'Здравствуйте!',
		...parameters,
	};
	const type = 'n8n-nodes-chatbot-service.chatbotService';
	return {
		node: { id: '1', name: 'Рассылка', type, typeVersion: 1, position: [0, 0], parameters: raw },
		count,
		first: 0,
		isOneOfSeveral: false,
		source: new FakeN8n(raw, contacts),
		continues: false,
		calledByAgent: false,
		signal: undefined,
		timeOf: inMoscow.timeOf,
		timezone: 'Europe/Moscow',
		triesKey: null,
		kept: null,
		entries: undefined,
		isWorker: true,
		questionHost: undefined,
		credential,
		async send(options) {
			witnessOf(options)!(await (latest ??= credential()));
			return await send(options);
		},
		log: () => {},
		hint: () => {},
		...changes,
	};
}

const contactOf = ({ qs, body }: IHttpRequestOptions) =>
	Number(qs?.contact_id ?? (body as IDataObject | undefined)?.contact_id);

export const ascending = (numbers: number[]) => [...numbers].sort((a, b) => a - b);

/** The answer to a request for a contact. @param to whom messages have been sent so far */
type Answered = ServiceAnswer | Promise<ServiceAnswer>;
export type AnswerTo = (contact: number, to: number[], request: IHttpRequestOptions) => Answered;

export type RunChanges = Partial<Omit<RunContext, 'entries'>> & {
	answerTo?: AnswerTo;
	entries?: FakeEntries | undefined;
};

/** The last part of the address of a request. */
export const endpointOf = ({ url }: Pick<IHttpRequestOptions, 'url'>) => url.slice(url.lastIndexOf('/') + 1);

/** Sends messages to contacts, and says how that ended. If the process of the entries dies, the run ends without items. */
export async function runFor(
	count: number,
	{ answerTo = () => ok, entries, signal = entries?.died, ...changes }: RunChanges = {},
	parameters?: Record<string, unknown>,
	contacts?: object[],
) {
	/** The contacts in the order of the requests, and when these left. */
	const [to, times]: [number[], number[]] = [[], []];
	const began = performance.now();
	const send = async (options: IHttpRequestOptions) => {
		to.push(contactOf(options));
		times.push(performance.now() - began);
		await sleep(1);
		return await answerTo(contactOf(options), to, options);
	};
	const [hint, log] = [jest.fn(), jest.fn()];
	const context = contextFor(count, { send, hint, log, entries, signal, ...changes }, parameters, contacts);
	const death = new Promise<INodeExecutionData[]>((end) => {
		entries?.died.addEventListener('abort', () => end([]));
		if (entries?.died.aborted) end([]);
	});
	let items: INodeExecutionData[] = [];
	let error: (Error & { description?: string }) | undefined;
	try {
		items = await inTime(Promise.race([run(context), death]), oneDay);
	} catch (thrown) {
		error = thrown as Error;
	}
	const json = items.map((item) => item.json);
	return {
		...{ items, json, error, to, times, sorted: ascending(to) },
		/** The error of each item, without its number; empty if it is done. */
		errors: items.map((item) =>
			String(item.json.error ?? item.error?.message ?? '').replace(/ \[Item \d+\]/, ''),
		),
		done: items.filter((item) => !item.json.error && !item.error).length,
		tookMs: performance.now() - began,
		notice: hint.mock.calls.map(([{ message }]) => message as string).join(' '),
		logged: log.mock.calls.flat() as string[],
	};
}

export const range = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index);
