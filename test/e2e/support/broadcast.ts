import {
	type ExecutionSummary,
	type HostApi,
	ownConnection,
	until,
	type WorkflowNode,
} from '../../../sandbox/host';
import { addContacts, type Emulator } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { pairs } from '../../../sandbox/workflow/httpRequest';
import { type Asking, keepAsking } from './asking';
import { activate, answeringWorkflow, post, sendNode, webhookUrl, workflowForPeople } from './webhook';

/** A workflow that sends to many people, and other clients of the same n8n at the same time. */
export interface Broadcast {
	/** Contact IDs, in the order of the items. */
	recipients: number[];
	/** Starts it. */
	start(): Promise<void>;
	/** Its latest execution, as the editor lists it. */
	execution(): Promise<ExecutionSummary>;
	/** The health check, as a monitor calls it to restart an n8n that does not answer. */
	health: Asking;
	/** Another workflow, which answers immediately. */
	otherWorkflow: Asking;
	/** A text with the longest waits of both between two moments. */
	waits(from: number, to: number): string;
	/** Stops the other clients. */
	stop(): Promise<void>;
}

/** The node that sends; n8n's own node is for comparison. */
const senders = {
	async chatbotService(api: HostApi, service: Emulator, account: Record<string, unknown>) {
		return sendNode(await api.createCredential(credentialFor(service, account)), text);
	},
	async httpRequest(api: HostApi, { url, token }: Emulator): Promise<WorkflowNode> {
		const type = 'httpQueryAuth';
		const data = { name: 'api_token', value: token };
		const { id, name } = await api.createCredential({ name: 'Broadcasts', type, data });
		return {
			name: 'Send',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: `${url}/api/v1/sendMessage`,
				authentication: 'genericCredentialType',
				genericAuthType: type,
				sendQuery: true,
				queryParameters: pairs({ contact_id: '={{ $json.id }}', text }),
				sendHeaders: true,
				headerParameters: pairs({ Accept: 'application/json' }),
				options: {},
			},
			credentials: { [type]: { id, name } },
			onError: 'continueRegularOutput',
		};
	},
};

export const sender = (process.env.E2E_SENDER ?? 'chatbotService') as keyof typeof senders;

const text =
	'=Здравствуйте, {{ $json.name.split(" ")[0] }}! Заказ {{ $json.order.number }} на ' +
	'{{ $json.order.total.toFixed(2) }} ₽ привезём {{ $json.order.day }} по адресу {{ $json.order.address }}.';

interface BroadcastOptions {
	api: HostApi;
	/** The URL of n8n. */
	url: string;
	/** The URL of the process that sends, if it is another process. */
	workerUrl?: string;
	service: Emulator;
	people: number;
	/** Values of the credential besides address and token. */
	account?: Record<string, unknown>;
}

/** Stores both workflows, and starts the other clients. */
export async function prepareBroadcast(options: BroadcastOptions): Promise<Broadcast> {
	const { api, url, workerUrl = url, service, account = {} } = options;
	const contacts = addContacts(service.data, options.people, { messenger: 'vk' });
	const send = await senders[sender](api, service, account);
	const { id: workflowId } = await activate(api, url, workflowForPeople('Broadcast', 'broadcast', send));
	const hours = '={{ $json.body.day }}: 10:00–20:00';
	await activate(api, url, answeringWorkflow('Opening hours', 'opening-hours', hours));
	const health = keepAsking(async () => {
		const { ok, status } = await fetch(`${workerUrl}/healthz`, { headers: ownConnection });
		if (!ok) throw new Error(`/healthz answered with ${status}`);
	});
	const otherWorkflow = keepAsking(async () => {
		const answer = await (await post(webhookUrl(url, 'opening-hours'), { day: 'Среда' })).text();
		if (answer !== 'Среда: 10:00–20:00') throw new Error(`The workflow answered ${answer}`);
	});
	const stop = async () => {
		await Promise.all([health.stop(), otherWorkflow.stop()]);
	};
	try {
		// The first call is not measured, because n8n does one-time work for it.
		await until(() => otherWorkflow.answered >= 5);
	} catch (error) {
		await stop();
		throw error;
	}
	return {
		recipients: contacts.map(({ id }) => id),
		async start() {
			const order = { number: 'A-1047', total: 12_990.5, day: 'завтра', address: 'ул. Садовая, 5' };
			const people = contacts.map(({ id, name }) => ({ id, name, order }));
			await post(webhookUrl(url, 'broadcast'), { people });
		},
		execution: async () => (await api.executions(workflowId))[0]!,
		health,
		otherWorkflow,
		waits(from, to) {
			const longest = (asking: Asking) => `${Math.round(asking.longestMs(from, to))} ms`;
			const seconds = ((to - from) / 1000).toFixed(1);
			return `${seconds} s, longest wait for /healthz ${longest(health)}, for another workflow ${longest(otherWorkflow)}`;
		},
		stop,
	};
}
