import type { INodeParameters } from 'n8n-workflow';

import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { credentialFor, runNode, type RunOptions } from './harness';

/* API, Send Request. */

type Row = [name: unknown, value: unknown];

/** The parameters as rows in the editor. */
export const asRows = (...parameters: Row[]): INodeParameters => ({
	parameters: { parameter: parameters.map(([name, value]) => ({ name, value })) } as INodeParameters,
});

/** The parameters as an object, or its text. */
export const asJson = (object: unknown): INodeParameters => ({
	...{ parametersInput: 'json', parametersJson: object as string },
});

/** A GET of the people whom a contact has invited, which the emulator knows. */
export const request = (changes: INodeParameters = {}): INodeParameters => ({
	...{ resource: 'api', operation: 'request', endpoint: 'getReferrals' },
	...changes,
});

export const post = (endpoint: string, object: unknown): INodeParameters =>
	request({ method: 'POST', endpoint, ...asJson(object) });

/** Sends requests to an emulator, or to the service in the options. */
export const requesterOf =
	(service: Pick<Emulator, 'url' | 'token'>) =>
	async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
		await runNode({ parameters: request(parameters), credential: credentialFor(service), ...options });

/** A GET about the contact of each item. */
export const read = asRows(['contact_id', '={{ $json.id }}']);

/** A POST that saves a contact under the ID and the name of each item. */
export const save = post(
	'createOrUpdateContact',
	`={{ { bot_id: ${SEEDED.bots.school}, messenger: "vk", vk_id: String($json.id), name: $json.name } }}`,
);

/** The IDs in both kinds of requests, in the order of their arrival. */
export const sentIn = ({ requests }: Emulator) =>
	requests.map(({ input }) => Number(input.contact_id ?? input.vk_id));
