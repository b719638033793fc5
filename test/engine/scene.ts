import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../../sandbox/emulator';
import { operationOf, parametersOf } from '../operations';
import { useFastTime, usualSpeed } from './fastTime';
import {
	callInBothWays,
	credentialFor,
	runNode,
	stoppable,
	until,
	useEmulator,
	type RunOptions,
	type RunResult,
} from './harness';
import { lettersFor } from './messages';

/* What a test of the engine starts with: the node with its parameters, an emulator, and what people see of a run. */

/** The parameters of an operation's usual sample, with changes. @param title for example 'tag/attach' */
export const usual = (title: string, changes: object = {}): INodeParameters => ({
	...parametersOf(operationOf(title).variants[0]!),
	...changes,
});

/** Each item shows its own outcome. */
export const goingOn = { onError: 'continueRegularOutput' } as const;

/** Failed items come out of the second output. */
export const apart = { onError: 'continueErrorOutput' } as const;

/** `with` changes the parameters, which are those of the scene by default. */
export type Given = Partial<RunOptions> & { with?: object };

/** The errors by item, undefined for an item without one. In stop mode, only that of the item that ended the run. */
export function errorsOf({ error, outputs }: RunResult): Array<string | undefined> {
	if (error) return [error.message];
	const all: Array<string | undefined> = [];
	for (const { json, pairedItem } of outputs.flat())
		all[(pairedItem as { item: number }).item] ??= json.error as string | undefined;
	return all;
}

/** The place of the item to which each item of the first output belongs. */
export const placesOf = ({ outputs }: RunResult): number[] =>
	(outputs[0] ?? []).map(({ pairedItem }) => (pairedItem as { item: number }).item);

function sceneOf(service: Emulator, parameters: INodeParameters, always: Partial<RunOptions> = {}) {
	const optionsOf = ({ with: changes, ...given }: Given = {}): RunOptions => ({
		...{ credential: credentialFor(service), ...always, ...given },
		parameters: { ...(given.parameters ?? parameters), ...changes },
		node: { ...always.node, ...given.node },
	});

	const run = async (given?: Given) => await runNode(optionsOf(given));

	/** The endpoints of the requests, in the order of their arrival. */
	const asked = () => service.requests.map(({ operation }) => operation);

	/** The error of a run in stop mode of which nothing may leave. */
	async function refusal(given?: Given) {
		const before = service.requests.length;
		const { error } = await run({ ...given, node: { ...given?.node, onError: 'stopWorkflow' } });
		expect([error === undefined, service.requests.length - before]).toEqual([false, 0]);
		return error!;
	}

	/** Stops a run as soon as a condition is met. It ends within a second of the wall. */
	async function stopWhen(isMet: () => boolean, given?: Given) {
		const { ended, stop } = stoppable(async (onStart) => await run({ ...given, onStart }));
		await until(isMet);
		const stoppedAt = performance.now();
		stop();
		const result = await ended;
		expect(performance.now() - stoppedAt).toBeLessThan(1000 * usualSpeed);
		return result;
	}

	/** Items with messages to new contacts. */
	const letters = (count: number) => lettersFor(service, count);

	/** What a model reads, in both ways in which agents call the node. */
	const answers = async (call: IDataObject, given?: Given) =>
		(await callInBothWays(optionsOf(given), call)).map((answer) => JSON.stringify(answer));

	return { service, optionsOf, run, asked, refusal, stopWhen, letters, answers };
}

/**
 * The node and an emulator for the tests of a file, one after the other, in fast time.
 *
 * @param parameters of the node; `with` of a run changes them
 * @param always options of all runs, such as `node: goingOn`
 */
export function scene(parameters: INodeParameters, always?: Partial<RunOptions>) {
	useFastTime();
	return sceneOf(useEmulator(), parameters, always);
}
