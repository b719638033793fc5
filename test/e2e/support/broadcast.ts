import { type ExecutionSummary, type HostApi, until, type WorkflowNode } from '../../../sandbox/host';
import { addContacts, type Emulator } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { pairs } from '../../../sandbox/workflow/httpRequest';
import { type Asking, keepAsking } from './asking';
import { activate, answeringWorkflow, post, sendNode, webhookUrl, workflowForPeople } from './webhook';

/** A workflow that writes to many people, and others who use the same n8n meanwhile. */
export interface Broadcast {
	/** Contact IDs, in the order of the items. */
	recipients: number[];
	/** Starts it. */
	start(): Promise<void>;
	/** Its latest execution, as the editor lists it. */
	execution(): Promise<ExecutionSummary>;
	/** What whoever looks after an n8n asks it, to restart it when there is no answer. */
	health: Asking;
	/** Another workflow, which answers at once. */
	otherWorkflow: Asking;
	/** The longest waits of both between two moments, in words. */
	waits(from: number, to: number): string;
	/** Nobody asks any more. */
	stop(): Promise<void>;
}

/** The node that writes to them; n8n's own is there to be compared with. */
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
	/** The address of n8n. */
	url: string;
	/** The address of the process that sends, when it is another one. */
	workerUrl?: string;
	service: Emulator;
	people: number;
	/** What the credential says beyond address and token. */
	account?: Record<string, unknown>;
}

/** Stores both workflows, and has the others ask from now on. */
export async function prepareBroadcast(options: BroadcastOptions): Promise<Broadcast> {
	const { api, url, workerUrl = url, service, account = {} } = options;
	const contacts = addContacts(service.data, options.people, { messenger: 'vk' });
	const send = await senders[sender](api, service, account);
	const { id: workflowId } = await activate(api, url, workflowForPeople('Broadcast', 'broadcast', send));
	const hours = '={{ $json.body.day }}: 10:00–20:00';
	await activate(api, url, answeringWorkflow('Opening hours', 'opening-hours', hours));
	const health = keepAsking(async () => {
		const { ok, status } = await fetch(`${workerUrl}/healthz`);
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
		// What n8n does for the first time only is not what is measured.
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
