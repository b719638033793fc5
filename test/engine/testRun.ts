import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { credentialFor, runNode, useEmulator, type RunOptions } from './harness';
import { send as sendTo } from './messages';

/* Common inputs of the tests of 'Test Run'. */

/** VK has no limit of its own. */
export const send: INodeParameters = { ...sendTo, contactMessenger: 'vk' };

/** The contact of the person who tries a run. */
export const me = SEEDED.contacts.vk;

/** @param values of the option @param options besides it @param parameters of the real run */
export const testing = (
	values: unknown = {},
	options: IDataObject = {},
	parameters: INodeParameters = send,
) => ({ ...parameters, options: { ...options, testRun: { values } } }) as INodeParameters;

/** What a test run shows of an item. */
export const previewOf = ({ id, text }: { id: number; text: string }) => ({
	testRun: true,
	recipient: id,
	text,
});

/** An emulator for the tests of a file, and a test run with it. */
export function useTestRuns() {
	const service = useEmulator();
	const run = async (options: Partial<RunOptions>) =>
		await runNode({ parameters: testing(), credential: credentialFor(service), ...options });
	return { service, run };
}
