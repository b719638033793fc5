import { until } from '../processes/poll';
import type { Emulator } from '../emulator';
import type { Outcome } from './action';
import { actionsOfExecution, actionsOfRequests, failedLeads } from './record';
import { deviations } from './deviations';
import { readLeads } from './leads';
import type { Sandbox } from './sandbox';

const EXAMPLE = 'welcome-new-leads.json';
const TIMEOUT_MS = 600_000;

/** A run of the example, and what it did otherwise than the leads ask for. */
export interface WelcomeResult extends Outcome {
	/** Whose record tells what was done: that of the service that received it, or n8n's own. */
	recordedBy: 'service' | 'n8n';
	deviations: string[];
	/** Why the run failed as a whole, if it did. */
	error?: string;
}

/** Runs "Welcome new leads" once and holds what happened against the file of leads. */
export async function welcomeNewLeads(
	{ api, examples }: Pick<Sandbox, 'api' | 'examples'>,
	emulator?: Pick<Emulator, 'requests'>,
	signal?: AbortSignal,
): Promise<WelcomeResult> {
	const id = examples.get(EXAMPLE);
	if (!id) throw new Error(`examples/${EXAMPLE} is missing`);
	const before = emulator?.requests.length ?? 0;
	const execution = await api.runWorkflow(id, { timeoutMs: TIMEOUT_MS, signal });
	// n8n has the last answer a moment before the service has noted that it was sent.
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
