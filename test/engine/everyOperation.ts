import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { Emulator, RecordedRequest } from '../../sandbox/emulator';
import { isRequestOf, operations, parametersOf, type Operation } from '../operations';
import { credentialFor, runNode, type RunResult } from './harness';

/* Runs every operation once, for the tests of faults that affect all operations. */

export const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

export type Mode = (typeof modes)[number];

/** The result of one operation in one mode. */
export interface Attempt extends Operation {
	mode: Mode;
	/** Identifies the operation and mode in the messages of `expect`. */
	context: string;
	result: RunResult;
	/** Its requests, in the order of arrival. */
	sent: RecordedRequest[];
	/** Items of the output that receives failures. */
	rows: INodeExecutionData[];
	/** Title and text of its failure as the mode shows them; undefined without a failure. */
	said: [title: unknown, text: unknown];
}

/** Of the account of an operation. */
const tokenOf = (service: Emulator, { title }: Operation) => `${service.token}-${title.replace('/', '-')}-`;

/** Whether the run of an operation has sent a request: others can use the same endpoint. */
const isSentBy = (service: Emulator, operation: Operation) => (request: RecordedRequest) =>
	isRequestOf(operation)(request) && request.target.includes(tokenOf(service, operation));

/** Runs the usual variant of each operation in one mode, all at once, so that the waits before repetitions overlap. */
export async function runAll(
	service: Emulator,
	mode: Mode,
	{ chosen = operations, requestOptions = {} as INodeParameters } = {},
): Promise<Attempt[]> {
	const attempts = chosen.map(async (operation): Promise<Attempt> => {
		const { title, variants } = operation;
		// Each has an account of its own, because trouble of one makes all requests of its account wait.
		const token = tokenOf(service, operation);
		service.data.accounts.push({ token, apiAccess: true });
		const result = await runNode({
			parameters: { ...parametersOf(variants[0]!), requestOptions },
			credential: credentialFor({ url: service.url, token }),
			items: [{ lead: title }],
			node: { onError: mode },
		});
		const { outputs, error } = result;
		const rows = outputs[mode === 'continueErrorOutput' && outputs[1]?.length ? 1 : 0] ?? [];
		const failed = rows[0]?.json;
		return {
			...operation,
			...{ mode, result, rows, context: `${title}, ${mode}` },
			sent: service.requests.filter(isSentBy(service, operation)),
			said: error ? [error.message, error.description] : [failed?.error, failed?.message],
		};
	});
	return await Promise.all(attempts);
}
