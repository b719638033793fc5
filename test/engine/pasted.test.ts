import { inspect, isDeepStrictEqual } from 'node:util';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { operationOf, parametersOf, travelling, valueAt, variants } from '../operations';
import { pasted, spellingsOfOnePerson, type PastedInto } from '../pasted/values';
import { credentialFor, loadList, runNode, useEmulator } from './harness';
import { came, withOnce } from './once';

/* Pasted values in a run of the real engine: which are sent and how, and how the others are reported. */

const service = useEmulator();

/** Values that items can hold, and that all expression engines of n8n return in the same way: those that JSON can hold. */
const isInItems = (value: unknown) => isDeepStrictEqual(JSON.parse(JSON.stringify(value) ?? 'null'), value);

const variantOf = ({ variant }: PastedInto) => variants.find(({ title }) => title === variant)!;

/** The node with one field that takes its value from the items. */
const parametersWith = (into: PastedInto, changes: Record<string, unknown> = {}): INodeParameters =>
	parametersOf(variantOf(into), { limit: 7, ...changes, [into.field]: '={{ $json.value }}' });

const run = async (parameters: INodeParameters, values: unknown[]) =>
	await runNode({
		parameters,
		credential: credentialFor(service),
		items: values.map((value) => ({ value }) as IDataObject),
		node: { onError: 'continueErrorOutput' },
	});

const titled = pasted.map((into) => [into.label, into.variant, into] as const);

test.each(titled)(
	'a refused value of %s of %s fails its own item, and nothing is sent for it',
	async (_, __, into) => {
		const values = into.refused.map(([value]) => value).filter(isInItems);
		const { outputs, error } = await run(parametersWith(into), values);
		expect(error).toBeUndefined();
		expect(outputs[0]).toEqual([]);
		expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual(values.map((_value, item) => ({ item })));
		for (const { json } of outputs[1]!) expect(json.error).toContain(`'${into.label}`);
		expect(service.requests).toEqual([]);
	},
);

/** Values that are sent without waiting for the limit of a messenger. */
const unpaced = titled.filter(
	([label, variant]) =>
		/^(?:tag|contactVariable|listSchema)\//.test(variant) &&
		!['Return All', 'Limit', 'Variable'].includes(label),
);

test.each(unpaced)('all accepted spellings of %s of %s are sent in one form', async (_, __, into) => {
	const taken = into.taken.filter(([value]) => isInItems(value));
	await run(
		parametersWith(into),
		taken.map(([value]) => value),
	);
	const { place } = variantOf(into).of;
	const { wire } = travelling(variantOf(into)).find(({ name }) => name === into.field)!;
	const sent = service.requests.map(({ query, body }) =>
		valueAt((place === 'query' ? query : body) as object, wire),
	);
	const expected = taken.map(([, travels]) => (place === 'query' ? String(travels) : travels));
	// Requests to one contact are sent in order; requests for lists are not.
	const sorted = (values: unknown[]) =>
		values.map((value) => inspect(value, { sorted: true, depth: null })).sort();
	expect(sorted(sent)).toEqual(sorted(expected));
});

test('all spellings of a phone number count as one person, who gets one message', async () => {
	// Run one after the other: each run queries n8n's store.
	const spellings = spellingsOfOnePerson.filter((_, index) => index % 5 === 0);
	const into = pasted.find(({ field }) => field === 'phone')!;
	const ran = await run({ ...parametersWith(into), ...withOnce('осень') }, spellings);
	expect(came(ran).filter((each) => each === 'sent')).toHaveLength(1);
	expect(came(ran).filter((each) => each === 'skipped')).toHaveLength(spellings.length - 1);
	expect(service.requests.map(({ input }) => input.phone)).toEqual(['+79161234567']);
});

test('a Base URL copied as the address of a page works for runs and lists', async () => {
	const credential = credentialFor(service, { baseUrl: ` ${service.url}/bots/2048/schema/1?tab=1#block\n` });
	const parameters = parametersOf(operationOf('tag/attach').variants[0]!);
	expect((await runNode({ parameters, credential })).error).toBeUndefined();
	const list = { resource: 'listSchema', operation: 'get' };
	expect((await loadList('searchListSchemas', { parameters: list, credential })).results).not.toEqual([]);
	expect(service.requests.map(({ path }) => path)).toEqual([
		'/api/v1/attachTagToContact',
		'/api/v1/getListSchemas',
	]);
});
