import type { INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import {
	startEmulator,
	type RecordedRequest,
	type Emulator,
	type EmulatorOptions,
} from '../../sandbox/emulator';
import { operations, parametersOf, type Operation } from '../operations';
import { credentialFor, runNode, type RunResult } from './harness';

/* Runs every operation in every error mode once, for the tests of faults that affect all operations. */

export const modes: Array<[string, INode['onError']]> = [
	['stop', undefined],
	['continue', 'continueRegularOutput'],
	['error output', 'continueErrorOutput'],
];

/** An emulator for each mode, so that no mode finds the changes of another. */
export const startEach = async (options?: EmulatorOptions): Promise<Emulator[]> =>
	await Promise.all(modes.map(async () => await startEmulator(options)));

/** The same emulators for all tests of a file: they start before the tests and are reset after each. */
export function useEach(): Emulator[] {
	const services: Emulator[] = [];
	beforeAll(async () => {
		services.push(...(await startEach()));
	});
	afterEach(() => services.forEach((service) => service.reset()));
	afterAll(async () => await Promise.all(services.map(async (service) => await service.stop())));
	return services;
}

/** The result of one operation in one mode. */
export interface Attempt extends Operation {
	mode: string;
	onError: INode['onError'];
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

interface Tried {
	chosen?: Operation[];
	requestOptions?: INodeParameters;
	credential?: Record<string, unknown>;
}

/** Runs the usual variant of each operation in one mode, all at once, so that the waits before repetitions overlap. */
export async function runAll(
	service: Emulator,
	[mode, onError]: (typeof modes)[number],
	{ chosen = operations, requestOptions = {}, credential = {} }: Tried = {},
): Promise<Attempt[]> {
	const attempts = chosen.map(async (operation): Promise<Attempt> => {
		const { title, endpoint, variants } = operation;
		const result = await runNode({
			parameters: { ...parametersOf(variants[0]!), requestOptions },
			credential: credentialFor(service, credential),
			items: [{ lead: title }],
			node: { onError },
		});
		const { outputs, error } = result;
		const rows = outputs[mode === 'error output' && outputs[1]?.length ? 1 : 0] ?? [];
		const failed = rows[0]?.json;
		return {
			...operation,
			mode,
			onError,
			context: `${title}, ${mode}`,
			result,
			sent: service.requests.filter((request) => request.operation === endpoint),
			rows,
			said: onError ? [failed?.error, failed?.message] : [error?.message, error?.description],
		};
	});
	return await Promise.all(attempts);
}

/** Runs each operation in every mode. @param services one for each mode */
export async function runEach(services: Emulator[], options: Tried = {}): Promise<Attempt[]> {
	const runs = modes.map(async (mode, place) => await runAll(services[place]!, mode, options));
	return (await Promise.all(runs)).flat();
}
