import { type Execution, packageName, type WorkflowNode } from '../host';
import type { RecordedRequest } from '../emulator';
import type { Action, FailedLead } from './action';
import { type Lead, recipientOf } from './leads';

/** The API names of the operations that the example uses. */
const operationNames: Record<string, string> = {
	'contactVariable/upsert': 'setContactVariable',
	'tag/attach': 'attachTagToContact',
	'message/send': 'sendMessage',
	'message/sendToWhatsApp': 'sendMessageToWhatsApp',
};

/** The actions of the example, by the emulator's record of requests. */
export function actionsOfRequests(requests: RecordedRequest[]): Action[] {
	return requests.map(({ arrivedAt, operation, method, path, input, status, accepted }) => {
		const { contact_id, phone, api_token: _token, ...rest } = input;
		const values = Object.entries(rest).map(([name, value]) => [name, String(value)]);
		return {
			time: new Date(performance.timeOrigin + arrivedAt),
			operation: operation ?? `${method} ${path}`,
			recipient: String(contact_id ?? phone ?? ''),
			values: Object.fromEntries(values) as Record<string, string>,
			summary: values.map(([name, value]) => `${name}=${value}`).join(' '),
			accepted,
			answer: `${status ?? 'none'} ${accepted ? 'accepted' : 'refused'}`,
		};
	});
}

/** The actions of the example, by n8n's own record of the run: a real service does not show what it received. */
export function actionsOfExecution(execution: Execution, nodes: WorkflowNode[]): Action[] {
	return nodes
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
}

/** The leads that reached the node that collects the failed ones. */
export function failedLeads(execution: Execution): FailedLead[] {
	return execution.output('Failed leads').map(({ json }) => {
		const { reason, details } = json as { reason?: string; details?: string };
		return {
			name: String(json.name),
			recipient: recipientOf(json as unknown as Lead),
			reason: [reason, details].filter(Boolean).join(' '),
		};
	});
}
