import type { ICredentialDataDecryptedObject, IRun } from 'n8n-workflow';
import { setImmediate } from 'node:timers/promises';

import { additionalDataOf, startNode, startRun, usualIds, workflowOf } from '../../sandbox/workflow';
import { MemoryDeduplicator, useDeduplication } from '../../sandbox/workflow/deduplication';
import type { Job } from '../job';
import type { Contender } from './nodes';

/* Runs a node through WorkflowExecute, as the editor's "Execute workflow" does. */

/** A workflow of a start node, which passes on the items, and the contender. `storeCalls` counts those of n8n's deduplication. */
export function prepareRun(contender: Contender, job: Job, items: Array<Record<string, unknown>>) {
	const { nodeType, typeName, typeVersion, credentialType, parameters } = contender;
	const { workflow } = workflowOf(nodeType, {
		type: typeName,
		typeVersion,
		parameters,
		credentials: { [credentialType]: { id: '1', name: 'Account' } },
		...(job.retry && { retryOnFail: true, maxTries: job.retry.tries, waitBetweenTries: job.retry.waitMs }),
		...(job.continues && { onError: 'continueRegularOutput' }),
	});
	const deduplication = new MemoryDeduplicator();
	if (job.remembered) deduplication.prefill(usualIds, job.remembered);
	useDeduplication(workflow, deduplication);
	const credentials = credentialsOf(job);
	const decrypt = async (type: string) => {
		// n8n queries its database here, so the event loop runs before the answer is available.
		await setImmediate();
		return { ...credentials[type] };
	};
	const additionalData = additionalDataOf(decrypt, 'trigger');
	const execute = async (): Promise<IRun> =>
		await startRun(workflow, additionalData, 'trigger', startNode, items.map((json) => ({ json })) as never);
	return { execute, storeCalls: () => deduplication.calls.length };
}

const credentialsOf = ({
	url,
	token,
	requestsPerSecond,
	bursts = false,
}: Job): Record<string, ICredentialDataDecryptedObject> => ({
	chatbotServiceApi: {
		baseUrl: url,
		token,
		tokenPlacement: 'query',
		tokenName: 'api_token',
		requestsPerSecond,
		workers: 1,
		bursts,
	},
	httpQueryAuth: { name: 'api_token', value: token },
});
