import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../../sandbox/emulator';
import { credentialFor, runNode, type RunOptions } from './harness';

/* Contact, Get Many, for the tests of its filters. */

export const getMany = (parameters: INodeParameters): INodeParameters => ({
	...{ resource: 'contact', operation: 'getAll', returnAll: true },
	...parameters,
});

/** Reads the contacts of an emulator, or of the service in the options. */
export const readerOf =
	(service: Emulator) =>
	async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
		await runNode({ parameters: getMany(parameters), credential: credentialFor(service), ...options });
