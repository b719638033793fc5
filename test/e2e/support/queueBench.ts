import { readFile } from 'node:fs/promises';

import { type Member, type PackedPackage, type QueueMode, startQueueMode } from '../../../sandbox/host';
import { addContacts, type RecordedRequest, type Service, startService } from '../../../sandbox/service';
import { owner } from '../../../sandbox/start/sandbox';
import { until } from './eventually';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from './webhook';

/** The limit of an account, as the interface documents it. */
export const limit = { requests: 2, windowMs: 1000 };

/** How soon n8n notices that a worker is gone; 60, 10 and 30 seconds by default. */
export const soonMissed = {
	QUEUE_WORKER_LOCK_DURATION: '15000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

const WORKERS = 2;

/** With as many executions as all workers take together, each of them gets its part. */
const EXECUTIONS_PER_WORKER = 2;

const MARK = 'Запуск';
const WEBHOOK_PATH = 'messages';

/** One execution of the workflow. */
export interface MessageRun {
	executionId: string;
	/** The number of the worker that took it, from 0. */
	worker: number;
	/** Contact IDs, in the order of the items. */
	recipients: number[];
}

/** A stand-in with the documented limits, and an n8n in queue mode with a workflow that sends messages. */
export interface QueueBench extends QueueMode {
	service: Service;
	/** Gives the credential an account that nobody has used yet, and what it says under 'Workers'. */
	newAccount(workers: number): Promise<void>;
	/** Starts as many executions as all workers take together, each for people of its own. */
	startRuns(peopleEach: number): Promise<MessageRun[]>;
	/** The requests that a run has made so far, refused ones included, in order of arrival. */
	requestsOf(run: MessageRun): RecordedRequest[];
	/** Does what "Retry" in n8n's list of executions does. @returns the ID of the new execution, once it is there */
	retry(run: MessageRun): Promise<string>;
}

/** Starts everything. */
export async function openQueueBench(folder: string, packed: PackedPackage): Promise<QueueBench> {
	const service = await startService({ limits: { account: limit } });
	let queueMode: QueueMode | undefined;
	const stop = async () => {
		await queueMode?.stop();
		await service.stop();
	};
	try {
		queueMode = await startQueueMode({
			folder,
			packed,
			owner,
			workers: WORKERS,
			concurrency: EXECUTIONS_PER_WORKER,
			env: soonMissed,
		});
		const { api, main, workers } = queueMode;
		const credentialWith = (data: Record<string, unknown>) => ({
			name: 'Chatbot Service',
			type: 'chatbotServiceApi',
			data: { baseUrl: service.url, token: service.token, ...data },
		});
		const credential = await api.createCredential(credentialWith({}));
		// Every message says which execution sends it.
		const text = `=${MARK} {{ $execution.id }}: {{ $json.name }}, ждём вас завтра в 18:30.`;
		const workflow = workflowForPeople('Messages by webhook', WEBHOOK_PATH, sendNode(credential, text));
		await activate(api, main.host.url, workflow);
		return {
			...queueMode,
			service,
			stop,
			async newAccount(count) {
				const token = `account-${service.data.accounts.length}`;
				service.data.accounts.push({ token, apiAccess: true });
				await api.updateCredential(credential.id, credentialWith({ token, workers: count }));
			},
			startRuns: async (peopleEach) => await startRuns(service, main.host.url, workers, peopleEach),
			requestsOf: ({ executionId }) => requestsOf(service, executionId),
			retry: async ({ executionId }) => await api.retryExecution(executionId, { loadWorkflow: false }),
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Whom a request writes to. */
export const recipientOf = ({ input }: RecordedRequest): number => Number(input.contact_id);

async function startRuns(service: Service, url: string, workers: Member[], peopleEach: number) {
	const count = workers.length * EXECUTIONS_PER_WORKER;
	const known = new Set((await takenBy(workers)).map(({ executionId }) => executionId));
	const groups = Array.from({ length: count }, () =>
		addContacts(service.data, peopleEach, { messenger: 'vk' }),
	);
	await Promise.all(groups.map(async (people) => await post(webhookUrl(url, WEBHOOK_PATH), { people })));
	let taken: Taken[] = [];
	await until(async () => {
		taken = (await takenBy(workers)).filter(({ executionId }) => !known.has(executionId));
		return taken.length === count && taken.every((each) => requestsOf(service, each.executionId).length > 0);
	});
	return taken.map((each): MessageRun => {
		// n8n does not tell which webhook call an execution is from; the first message does.
		const first = recipientOf(requestsOf(service, each.executionId)[0]!);
		const people = groups.find((group) => group.some(({ id }) => id === first))!;
		return { ...each, recipients: people.map(({ id }) => id) };
	});
}

type Taken = Omit<MessageRun, 'recipients'>;

/** Which worker took which execution, as the workers themselves say. */
export async function takenBy(workers: Member[]): Promise<Taken[]> {
	const taken = await Promise.all(
		workers.map(async ({ host }, worker) => {
			const log = await readFile(host.logFile, 'utf8');
			const started = [...log.matchAll(/Worker started execution (\d+)/g)];
			return started.map(([, executionId]) => ({ executionId: executionId!, worker }));
		}),
	);
	return taken.flat();
}

function requestsOf({ requests }: Service, executionId: string): RecordedRequest[] {
	return requests.filter(({ input }) => String(input.text).startsWith(`${MARK} ${executionId}:`));
}
