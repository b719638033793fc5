import { NodeHelpers, type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { withoutValues } from '../../nodes/ChatbotService/run/values/problems';
import { description, properties, shownIn } from '../description/editor';
import { operations, parametersOf } from '../operations';
import { modes } from './everyOperation';
import { credentialFor, runNode, useEmulator } from './harness';

/*
 * Options with values of their own, such as 'Sending Hours'. A bin in the editor removes the values and leaves the name of the option, so
 * the user believes that it still protects.
 */

const service = useEmulator();

/** The parameters as the editor stores them. */
const stored = (parameters: INodeParameters) =>
	NodeHelpers.getNodeParameters(properties, parameters, false, false, { typeVersion: 1 }, description)!;

const hasOneGroup = ({ type, typeOptions }: INodeProperties) =>
	type === 'fixedCollection' && !typeOptions?.multipleValues;

const rows = operations.flatMap(({ title, variants }) => {
	const parameters = parametersOf(variants[0]!);
	return shownIn(parameters)
		.filter(({ type }) => type === 'collection')
		.flatMap(({ name, options }) =>
			(options as INodeProperties[])
				.filter(hasOneGroup)
				.map((option): [string, string, INodeParameters] => [
					title,
					option.displayName,
					{ ...parameters, [name]: { [option.name]: {} } },
				]),
		);
});

describe.each(rows)(
	'%s: with an empty %s, nothing leaves, and the node names it',
	(_title, label, emptied) => {
		test.each(modes)('%s', async (onError) => {
			const options = { parameters: stored(emptied), credential: credentialFor(service), node: { onError } };
			const { error, outputs } = await runNode(options);
			const said = error?.message ?? outputs.flat().map(({ json }) => json.error);
			expect([said].flat()).toEqual([`${withoutValues(label).message} [Item 0]`]);
			expect(service.requests).toEqual([]);
		});
	},
);
