import { type Execution, packageName, type WorkflowNode } from '../host';
import type { Emulator, RecordedRequest } from '../emulator';
import { until } from '../processes/poll';
import { type Action, deviations, type Outcome } from './deviations';
import { type Lead, readLeads, recipientOf } from './leads';
import type { Sandbox } from './sandbox';

const EXAMPLE = 'welcome-new-leads.json';
const TIMEOUT_MS = 600_000;

export interface WelcomeResult extends Outcome {
	/** The source of the actions: the service that received the requests, or n8n. */
	recordedBy: 'service' | 'n8n';
	deviations: string[];
	error?: string;
}

export async function welcomeNewLeads(
	{ api, examples }: Pick<Sandbox, 'api' | 'examples'>,
	emulator?: Pick<Emulator, 'requests'>,
	signal?: AbortSignal,
): Promise<WelcomeResult> {
	const id = examples.get(EXAMPLE);
	if (!id) throw new Error(`examples/${EXAMPLE} is missing`);
	const before = emulator?.requests.length ?? 0;
	const execution = await api.runWorkflow(id, { timeoutMs: TIMEOUT_MS, signal });
	// n8n receives the last answer shortly before the service has recorded that it was sent.
	await until(() => emulator?.requests.every(({ answeredAt }) => answeredAt !== undefined) ?? true);

	const outcome: Outcome = {
		status: execution.status,
		actions: emulator
			? actionsOfRequests(emulator.requests.slice(before))
			: actionsOfExecution(execution, (await api.workflow(id)).nodes),
		failed: execution.output('Failed leads').map(({ json }) => ({
			name: String(json.name),
			recipient: recipientOf(json as unknown as Lead),
			reason: [json.reason, json.details].filter(Boolean).join(' '),
		})),
	};
	return {
		...outcome,
		recordedBy: emulator ? 'service' : 'n8n',
		deviations: deviations(await readLeads(), outcome),
		error: execution.error?.message,
	};
}

/** By the emulator's record of requests. */
const actionsOfRequests = (requests: RecordedRequest[]): Action[] =>
	requests.map(({ arrivedAt, operation, method, path, input, status, accepted }) => {
		const { contact_id, phone, api_token: _token, ...rest } = input;
		return {
			time: new Date(performance.timeOrigin + arrivedAt),
			operation: operation ?? `${method} ${path}`,
			recipient: String(contact_id ?? phone ?? ''),
			values: Object.values(rest).map(String),
			summary: Object.entries(rest)
				.map(([name, value]) => `${name}=${String(value)}`)
				.join(' '),
			accepted,
			answer: `${status ?? 'none'} ${accepted ? 'accepted' : 'refused'}`,
		};
	});

/** The API names of the operations that the example uses. */
const operationNames: Record<string, string> = {
	'contactVariable/upsert': 'setContactVariable',
	'tag/attach': 'attachTagToContact',
	'message/send': 'sendMessage',
	'message/sendToWhatsApp': 'sendMessageToWhatsApp',
};

/** By n8n's own record of the run: a real service does not show what it received. */
const actionsOfExecution = (execution: Execution, nodes: WorkflowNode[]): Action[] =>
	nodes
		.filter(({ type }) => type === `${packageName}.chatbotService`)
		.flatMap(({ name, parameters: { resource, operation } }) =>
			execution.runs(name).flatMap((run) =>
				(run.data?.main?.[0] ?? []).map((item) => {
					const lead = execution.origin('Leads', run, item)?.json as Lead | undefined;
					return {
						time: new Date(run.startTime),
						operation: operationNames[`${String(resource)}/${String(operation)}`] ?? name,
						recipient: lead ? recipientOf(lead) : '',
						summary: `${name}: ${lead?.name ?? 'nobody'}`,
						accepted: true,
						answer: JSON.stringify(item.json),
					};
				}),
			),
		);
