import { until } from '../processes/poll';
import type { Emulator } from '../emulator';
import type { Outcome } from './action';
import { actionsOfExecution, actionsOfRequests, failedLeads } from './record';
import { deviations } from './deviations';
import { readLeads } from './leads';
import type { Sandbox } from './sandbox';

const EXAMPLE = 'welcome-new-leads.json';
const TIMEOUT_MS = 600_000;

/** A run of the example, and its differences from the requests of the leads. */
export interface WelcomeResult extends Outcome {
	/** The source of the record: the service that received the requests, or n8n. */
	recordedBy: 'service' | 'n8n';
	deviations: string[];
	/** The error of the whole run, if it failed. */
	error?: string;
}

/** Runs "Welcome new leads" once and compares the result with the file of leads. */
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
		failed: failedLeads(execution),
	};
	return {
		...outcome,
		recordedBy: emulator ? 'service' : 'n8n',
		deviations: deviations(await readLeads(), outcome),
		error: execution.error?.message,
	};
}
